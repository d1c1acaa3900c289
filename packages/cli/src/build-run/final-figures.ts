import { hash } from 'node:crypto'
import { type PromptCost, sumTokens, type WrittenResult } from '../output/build-result.ts'
import { startActivity } from '../output/progress.ts'
import { describeError, type Problem } from '../output/report-error.ts'
import { formatNumber } from '../output/terminal.ts'
import { describePlan } from '../prompt/report-prompt.ts'
import { type BuildMeans, buildInOrder } from './build-in-order.ts'
import type { BuildRequest } from './create-requests.ts'

export interface PromptCount {
  readonly packs: number
  readonly sources: number
  /** Absent if the set is too large to be composed at the end of a build, or cannot be composed. */
  readonly cost?: PromptCost
  readonly problem?: Problem
}

/** Sets up to this size are composed at the end of a build, and for at most this time. */
const MOST = { packs: 50, tokens: 200_000, seconds: 60 }

/**
 * Counts what the packs of a build cost in one prompt, in the order in which `pack prompt` reads a
 * folder. Never throws, because a missing figure must not fail a build.
 */
export async function countPrompt(
  results: readonly WrittenResult[],
  { pool, cache }: BuildMeans,
): Promise<PromptCount | undefined> {
  const built = listBuilt(results)
  const packs = built.length
  if (packs < 2) return undefined
  const sources = built.reduce((sum, { pack }) => sum + pack!.uncompressed_estimate, 0)
  if (packs > MOST.packs || sources > MOST.tokens) return { packs, sources }
  const texts = built.map(({ text }) => text!)
  const known = await cache?.findCost(texts)
  if (known !== undefined) return { packs, sources, cost: known }
  try {
    const { tokens, tokenizer, plan } = await pool.compose(texts, MOST.seconds)
    const cost = { tokens, tokenizer, plan }
    cache?.storeCost(texts, cost)
    return { packs, sources, cost }
  } catch (error) {
    return { packs, sources, problem: describeError(error) }
  }
}

export function describePromptCount({ packs, cost, problem }: PromptCount): unknown {
  if (cost !== undefined) {
    return { packs, tokens: cost.tokens, tokenizer: cost.tokenizer, plan: describePlan(cost.plan) }
  }
  if (problem === undefined) return { packs, tokens: null }
  const { code, message, hint } = problem
  return { packs, tokens: null, error: { code, message, hint } }
}

function listBuilt(results: readonly WrittenResult[]): WrittenResult[] {
  const nameFile = ({ pack }: WrittenResult): string => `${pack!.slug}.pack.json`
  return results
    .filter(({ pack, status }) => pack !== null && status !== 'failed')
    .toSorted((a, b) => (nameFile(a) < nameFile(b) ? -1 : 1))
}

/** What all packs of a build would save if those under `minify-1` were built under `dense-2`. */
export interface DenseEstimate {
  /** Sources that were built to tell. */
  readonly sources: number
  readonly percent: number
}

const MOST_BYTES = 16 * 1024

/**
 * Builds a sample of the sources under `dense-2`: those that fit into {@link MOST_BYTES}, in the
 * order of the digests of their slugs, so that the same set gives the same figure. Nothing if that
 * saves less than a point more.
 */
export async function estimateDense(
  requests: readonly BuildRequest[],
  results: readonly WrittenResult[],
  means: BuildMeans,
): Promise<DenseEstimate | undefined> {
  const candidates = requests
    .map((request, index) => ({ request, ...results[index] }))
    .filter(({ pack, status, scheme }) => status !== 'failed' && scheme === 'minify-1' && pack)
    .filter(({ pack }) => pack!.uncompressed_estimate > 0)
    .map((each) => ({ ...each, digest: hash('sha256', each.pack!.slug) }))
    .toSorted((a, b) => (a.digest < b.digest ? -1 : 1))
  let left = MOST_BYTES
  const sample = candidates.filter(({ request: { size } }) => {
    if (size > left) return false
    left -= size
    return true
  })
  if (sample.length === 0) return undefined
  const activity = startActivity('estimating what dense-2 saves', false)
  try {
    const built = await buildInOrder(
      sample.map(({ request }) => ({ ...request, overrides: { ...request.overrides, scheme: 'dense-2' } })),
      means,
    )
    const packs = built.flatMap(({ pack }) => pack ?? [])
    if (packs.length < sample.length) return undefined
    const more = sumTokens(packs).saved - sumTokens(sample.map(({ pack }) => pack!)).saved
    const all = sumTokens(listBuilt(results).map(({ pack }) => pack!))
    const gain = (more * sumTokens(candidates.map(({ pack }) => pack!)).source) / all.source
    return gain < 1 ? undefined : { sources: sample.length, percent: all.saved + gain }
  } finally {
    activity.stop()
  }
}

export function formatEstimate({ sources, percent }: DenseEstimate): string {
  const about = `about ${Math.round(percent)} % less in all, for large models`
  return `--scheme dense-2: ${about} (estimated on ${formatNumber(sources, 'page')})`
}
