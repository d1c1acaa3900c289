import { join } from 'node:path'
import { findFiles } from '../input/search-inputs.ts'
import type { PromptCost, WrittenResult } from '../output/build-result.ts'
import { startActivity } from '../output/progress.ts'
import { describeError, type Problem } from '../output/report-error.ts'
import { formatCount, formatPercent, escapeControls, formatPath, quotePath } from '../output/terminal.ts'
import { describePlan } from '../prompt/report-prompt.ts'
import { type BuildMeans, buildInOrder } from './build-in-order.ts'
import type { BuildRunOptions, BuildRequest } from './read-source.ts'
import type { WriteTarget } from './write-packs.ts'

/** What all packs of a build cost in one prompt. */
export interface PromptCount {
  readonly packs: number
  /** Absent if the set is too large to be composed at the end of a build, or cannot be composed. */
  readonly cost?: PromptCost
  /** Why the set cannot be composed. */
  readonly problem?: Problem
}

/** Sets up to this size are composed at the end of a build, and for at most this time. */
const MOST = { packs: 50, tokens: 200_000, seconds: 60 }

/**
 * Counts what the packs of a build cost in one prompt, in the order of their file names, as
 * `pack prompt` reads them from a folder. The cost of a set counted before comes from the cache.
 * Never throws, because a missing figure must not fail a build.
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
  const { code, message, hint } = problem
  return { packs, tokens: null, error: { code, message, hint } }
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

/**
 * Returns the command that counts the same prompt. It names the output folder only if the folder
 * has exactly these packs.
 */
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
 * Formats the line of a build report about one prompt.
 *
 * @param command command that shows what the prompt costs by each plan
 */
export function formatPromptCount({ packs, cost, problem }: PromptCount, command: string): string {
  const all = `all ${formatCount(packs)} in one prompt:`
  const shown = escapeControls(command)
  if (problem !== undefined) return `${all} not counted: ${escapeControls(problem.message)}`
  if (cost === undefined) return `${all} ${shown} shows what they cost`
  const { chosen, costs } = cost.plan
  const total = `${all} ${formatCount(cost.tokens)} tokens,`
  const saved = costs.sources ? 100 * (1 - cost.tokens / costs.sources) : 0
  if (saved <= 0) return `${total} their plain sources (${shown} shows why)`
  const less = `${formatPercent(saved)} less than their plain sources`
  return `${total} ${less} (${chosen}; ${shown} shows how)`
}

/** What denser schemes would save of a sample of the sources that were built under `glossary-1`. */
export interface SchemeEstimate {
  /** Number of sources in the sample, and of all that it represents. */
  readonly sources: number
  readonly of: number
  /** Estimated net savings of all sources under `glossary-1`, in percent of their tokens. */
  readonly savings: Readonly<Record<DenserScheme, number>>
}

const DENSER = ['dense-1', 'max-1'] as const
type DenserScheme = (typeof DENSER)[number]

/** Most sources of the sample, and bytes of one of them. */
const MOST_DRAWN = { sources: 8, bytes: 128 * 1024 }

/**
 * Builds a sample of the sources under the denser schemes. The same sources give the same sample.
 * Results come from the cache where possible.
 *
 * Sources are drawn in proportion to their size (systematic sampling), so the mean of their savings
 * estimates the saving over all tokens. See W. G. Cochran, "Sampling Techniques", 1977, sections
 * 8.1 and 9A.5.
 *
 * @param results one for each request
 * @returns undefined if nothing was built under `glossary-1`, or if the sample has no pack
 */
export async function estimateSchemes(
  requests: readonly BuildRequest[],
  results: readonly WrittenResult[],
  means: BuildMeans,
  { scheme = 'glossary-1', json = false }: BuildRunOptions,
): Promise<SchemeEstimate | undefined> {
  if (scheme !== 'glossary-1') return undefined
  const candidates = requests.filter((_, index) => isGlossary(results[index]))
  const draws = drawSources(candidates)
  const sample = [...draws.keys()]
  if (sample.length === 0) return undefined
  const activity = startActivity('estimating what denser schemes save', json)
  try {
    const savings: Partial<Record<DenserScheme, number>> = {}
    for (const denser of DENSER) {
      const built = await buildInOrder(
        sample.map((request) => ({ ...request, overrides: { ...request.overrides, scheme: denser } })),
        means,
      )
      const packs = built.flatMap(({ pack }) => pack ?? [])
      if (packs.length < sample.length) return undefined
      const all = [...draws.values()].reduce((sum, weight) => sum + weight, 0)
      const saved = packs.map(({ net_savings_pct }, at) => net_savings_pct * draws.get(sample[at]!)!)
      savings[denser] = saved.reduce((sum, percent) => sum + percent, 0) / all
    }
    return { sources: sample.length, of: candidates.length, savings: savings as SchemeEstimate['savings'] }
  } finally {
    activity.stop()
  }
}

/** Whether a source with text was built under `glossary-1`, even if that saved nothing. */
function isGlossary(result: WrittenResult | undefined): boolean {
  if (!result?.pack || result.status === 'failed') return false
  return result.scheme === 'glossary-1' && result.pack.uncompressed_estimate > 0
}

/**
 * Draws sources in proportion to their bytes, in the order of their names. Sources that are too
 * large are skipped.
 *
 * @returns how often each was drawn; its bytes if all are taken
 */
function drawSources(candidates: readonly BuildRequest[]): Map<BuildRequest, number> {
  const sized = candidates
    .filter(({ size }) => size <= MOST_DRAWN.bytes)
    .toSorted((a, b) => (a.shown < b.shown ? -1 : 1))
  if (sized.length <= MOST_DRAWN.sources) return new Map(sized.map((request) => [request, request.size]))
  const step = sized.reduce((sum, { size }) => sum + size, 0) / MOST_DRAWN.sources
  const draws = new Map<BuildRequest, number>()
  let end = 0
  let next = step / 2
  for (const request of sized) {
    end += request.size
    for (; next < end; next += step) draws.set(request, (draws.get(request) ?? 0) + 1)
  }
  return draws
}

/** Returns the part of `pack build --json` on the estimate. */
export function describeEstimate({ sources, of, savings }: SchemeEstimate): unknown {
  const rounded = Object.entries(savings).map(([scheme, percent]) => [
    scheme,
    Math.round(100 * percent) / 100,
  ])
  return { sources, of, net_savings_pct: Object.fromEntries(rounded) as Record<DenserScheme, number> }
}

/** Formats the line about the denser schemes at the end of a build. */
export function formatEstimate({ sources, of, savings }: SchemeEstimate): string {
  const sample = of === 1 ? 'the source' : `${formatCount(sources)} of ${formatCount(of)} sources`
  const [dense, max] = DENSER.map((scheme) => `about ${Math.round(savings[scheme])} %`)
  return `estimate from ${sample} under glossary-1: --scheme dense-1 would save ${dense}, --scheme max-1 ${max}`
}
