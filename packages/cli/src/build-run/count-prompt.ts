import { join } from 'node:path'
import { findFiles } from '../input/find-files.ts'
import type { PromptCost, WrittenResult } from '../output/build-result.ts'
import { formatCount, formatPercent } from '../output/format-table.ts'
import { startActivity } from '../output/progress.ts'
import { describeError } from '../output/report-error.ts'
import { escapeControls, formatPath, quotePath } from '../output/terminal.ts'
import { describePlan, namePlan } from '../prompt/report-prompt.ts'
import type { BuildMeans } from './build-in-order.ts'
import type { WriteTarget } from './write-packs.ts'

/** What all packs of a build cost in one prompt. */
export interface PromptCount {
  readonly packs: number
  /** Absent if the set is too large to be composed at the end of a build, or if it cannot be composed. */
  readonly cost?: PromptCost
  /** Why the set cannot be composed. */
  readonly problem?: { readonly code: string; readonly message: string; readonly hint: string }
}

/** Sets up to this size are composed at the end of a build, and for at most this time. */
const MOST = { packs: 50, tokens: 200_000, seconds: 60 }

/**
 * Counts what the packs of a build cost in one prompt, in the order of their file names, in which `pack prompt` takes them from a
 * folder. An equal set comes from the cache. Never throws, because it is only a figure.
 *
 * @returns undefined for fewer than two packs
 */
export async function countPrompt(
  results: readonly WrittenResult[],
  { pool, cache }: BuildMeans,
  isQuiet: boolean,
): Promise<PromptCount | undefined> {
  const built = listBuilt(results)
  const packs = built.length
  if (packs < 2) return undefined
  const tokens = built.reduce((sum, { pack }) => sum + pack!.uncompressed_estimate, 0)
  if (packs > MOST.packs || tokens > MOST.tokens) return { packs }
  const texts = built.map(({ text }) => text!)
  const known = await cache?.findCost(texts)
  if (known !== undefined) return { packs, cost: known }
  const activity = startActivity(`counting a prompt of ${packs} packs`, isQuiet)
  try {
    const { composed, fault } = await pool.compose(texts, MOST.seconds)
    if (composed === undefined) return { packs, problem: fault }
    const cost = { tokens: composed.tokens, tokenizer: composed.tokenizer, plan: composed.plan }
    cache?.storeCost(texts, cost)
    return { packs, cost }
  } catch (error) {
    return { packs, problem: describeError(error) }
  } finally {
    activity.stop()
  }
}

/** Returns the part of `pack build --json` on one prompt. */
export function describePromptCount({ packs, cost, problem }: PromptCount): unknown {
  if (cost !== undefined) {
    return { packs, tokens: cost.tokens, tokenizer: cost.tokenizer, plan: describePlan(cost.plan) }
  }
  if (problem === undefined) return { packs, tokens: null }
  return {
    packs,
    tokens: null,
    error: { code: problem.code, message: problem.message, hint: problem.hint },
  }
}

/** Lists the results with packs, in the order of their file names. */
function listBuilt(results: readonly WrittenResult[]): WrittenResult[] {
  return results
    .filter(({ pack, status }) => pack !== null && status !== 'failed')
    .toSorted((a, b) => (nameFile(a) < nameFile(b) ? -1 : 1))
}

function nameFile({ pack }: WrittenResult): string {
  return `${pack!.slug}.pack.json`
}

/** Returns the command that counts the same prompt. It names the output folder only if that has these packs and no others. */
export function formatPromptCommand(
  results: readonly WrittenResult[],
  { folder, cwd, isDryRun }: WriteTarget,
): string {
  const command = 'pack prompt --plan'
  if (isDryRun || folder === '-') return command
  const paths = listBuilt(results).map((result) => join(folder, nameFile(result)))
  const found = findFiles([folder], { cwd, pattern: /\.pack\.json$/i })
  const isSame = found.failures.length === 0 && found.files.length === paths.length
  if (!isSame || !found.files.every(({ path }, index) => path === paths[index])) return command
  return `${command} ${quotePath(formatPath(folder, cwd))}`
}

/**
 * Formats the line of a build on one prompt.
 *
 * @param command shows what the prompt costs by each plan
 */
export function formatPromptCount({ packs, cost, problem }: PromptCount, command: string): string {
  const all = `all ${formatCount(packs)} in one prompt:`
  const shown = escapeControls(command)
  if (problem !== undefined) return `${all} not counted: ${escapeControls(problem.message)}`
  if (cost === undefined) return `${all} ${shown} shows what they cost`
  const { chosen, costs } = cost.plan
  const total = `${all} ${formatCount(cost.tokens)} tokens,`
  const saved = costs.sources ? 100 * (1 - cost.tokens / costs.sources) : 0
  if (saved <= 0) return `${total} their sources in plain frames (${shown} shows why)`
  const less = `${formatPercent(saved)} less than their sources in plain frames`
  return `${total} ${less} (${namePlan(chosen)}; ${shown} shows how)`
}
