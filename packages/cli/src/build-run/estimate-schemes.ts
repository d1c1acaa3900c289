import type { WrittenResult } from '../output/build-result.ts'
import { formatCount } from '../output/format-table.ts'
import { startActivity } from '../output/progress.ts'
import { buildInOrder, type BuildMeans } from './build-in-order.ts'
import { measureBytes } from './create-build-pool.ts'
import type { BuildRunOptions } from './create-requests.ts'
import type { BuildRequest } from './read-source.ts'

/** What denser schemes would save of a sample of the sources that were built under `glossary-1`. */
export interface SchemeEstimate {
  /** Number of sources in the sample, and of all that it stands for. */
  readonly sources: number
  readonly of: number
  /** Net savings of the sample in percent, over all its tokens. */
  readonly savings: Readonly<Record<DenserScheme, number>>
}

const DENSER = ['dense-1', 'max-1'] as const
type DenserScheme = (typeof DENSER)[number]

/** Most sources of the sample, and bytes of all of them. */
const MOST = { sources: 5, bytes: 128 * 1024 }

/**
 * Builds a sample of the sources under the denser schemes: always the same one of the same sources, spread evenly over them.
 * Its results come from the cache where it has them.
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
  const sample = chooseSample(candidates)
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
      const full = packs.reduce((sum, pack) => sum + pack.uncompressed_estimate, 0)
      const paid = packs.reduce((sum, pack) => sum + pack.token_count + pack.rosetta_tokens, 0)
      savings[denser] = 100 * (1 - paid / full)
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

/** A source that is too large for what is left of the sample is left out. */
function chooseSample(candidates: readonly BuildRequest[]): BuildRequest[] {
  const length = Math.min(MOST.sources, candidates.length)
  let left = MOST.bytes
  return Array.from({ length }, (_, at) => candidates[Math.floor((at * candidates.length) / length)]!).filter(
    (request) => {
      const bytes = measureBytes(request)
      if (bytes > left) return false
      left -= bytes
      return true
    },
  )
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
 * formatEstimate({ sources: 5, of: 40, savings: { 'dense-1': 12.4, 'max-1': 17.1 } })
 * // 'estimate from 5 of 40 sources: --scheme dense-1 would save about 12 %, --scheme max-1 about 17 %'
 */
export function formatEstimate({ sources, of, savings }: SchemeEstimate): string {
  const sample = of === 1 ? 'estimate' : `estimate from ${formatCount(sources)} of ${formatCount(of)} sources`
  const [dense, max] = DENSER.map((scheme) => `about ${Math.round(savings[scheme])} %`)
  return `${sample}: --scheme dense-1 would save ${dense}, --scheme max-1 ${max}`
}
