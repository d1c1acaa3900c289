import type { WrittenResult } from '../output/build-result.ts'
import { formatCount } from '../output/format-table.ts'
import { startActivity } from '../output/progress.ts'
import { buildInOrder, type BuildMeans } from './build-in-order.ts'
import type { BuildRunOptions } from './create-requests.ts'
import type { BuildRequest } from './read-source.ts'

/** What denser schemes would save of a sample of the sources that were built under `glossary-1`. */
export interface SchemeEstimate {
  /** Number of sources in the sample, and of all that it stands for. */
  readonly sources: number
  readonly of: number
  /** Estimated net savings of all sources under `glossary-1`, in percent of their tokens. */
  readonly savings: Readonly<Record<DenserScheme, number>>
}

const DENSER = ['dense-1', 'max-1'] as const
type DenserScheme = (typeof DENSER)[number]

/** Most sources of the sample, and bytes of one of them. */
const MOST = { sources: 8, bytes: 128 * 1024 }

/**
 * Builds a sample of the sources under the denser schemes: always the same one of the same sources. Its results come from the
 * cache where it has them.
 *
 * The sources are drawn in proportion to their size (systematic sampling), so the mean of their savings estimates what is saved of
 * all tokens. See W. G. Cochran, "Sampling Techniques", 1977, sections 8.1 and 9A.5.
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

/** Whether a source with text was built under `glossary-1`, also if that saved nothing. */
function isGlossary(result: WrittenResult | undefined): boolean {
  if (!result?.pack || result.status === 'failed') return false
  return result.scheme === 'glossary-1' && result.pack.uncompressed_estimate > 0
}

/**
 * Draws sources in proportion to their bytes, in the order of their names. Sources that are too large are left out.
 *
 * @returns how often each was drawn; its bytes if all are taken
 */
function drawSources(candidates: readonly BuildRequest[]): Map<BuildRequest, number> {
  const sized = candidates
    .filter(({ size }) => size <= MOST.bytes)
    .toSorted((a, b) => (a.shown < b.shown ? -1 : 1))
  if (sized.length <= MOST.sources) return new Map(sized.map((request) => [request, request.size]))
  const step = sized.reduce((sum, { size }) => sum + size, 0) / MOST.sources
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

/**
 * Formats the line about the denser schemes at the end of a build.
 *
 * @example
 * formatEstimate({ sources: 8, of: 40, savings: { 'dense-1': 12.4, 'max-1': 17.1 } })
 * // 'estimate from 8 of 40 sources under glossary-1: --scheme dense-1 would save about 12 %, --scheme max-1 about 17 %'
 */
export function formatEstimate({ sources, of, savings }: SchemeEstimate): string {
  const sample = of === 1 ? 'the source' : `${formatCount(sources)} of ${formatCount(of)} sources`
  const [dense, max] = DENSER.map((scheme) => `about ${Math.round(savings[scheme])} %`)
  return `estimate from ${sample} under glossary-1: --scheme dense-1 would save ${dense}, --scheme max-1 ${max}`
}
