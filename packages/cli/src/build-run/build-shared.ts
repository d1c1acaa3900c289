import { buildTogether } from '@packs/codec/build'
import type { Source } from '@packs/codec/source'
import { loadTokenizer } from '@packs/codec/tokens'
import type { BuildRequest } from './build-request.ts'
import type { BuildResult } from '../output/build-result.ts'
import { buildSource, describeResult, readSource } from './build-source.ts'

/** A header that packs share, as it is counted where it is built. */
export interface SharedHeader {
  readonly rosetta: string
  readonly entries: number
  readonly rosettaTokens: number
  /** Places of the packs that share it among the requests, and the tokens that the first of them need, the first two, … */
  readonly members: readonly number[]
  readonly headerTokens: readonly number[]
}

/** What became of sources that were to share a header; without one each message says why. */
export interface SharedAnswer {
  readonly results: readonly BuildResult[]
  readonly header: SharedHeader | null
}

/** Builds sources with one header, here and now; those of scheme `none` have no header and are built as ever. */
export async function buildShared(requests: readonly BuildRequest[]): Promise<SharedAnswer> {
  const results: BuildResult[] = []
  const members: { at: number; source: Source; failure: BuildResult }[] = []
  for (const [at, request] of requests.entries()) {
    const { source, failure } = await readSource(request)
    results[at] = failure
    if (source === undefined) continue
    if ((request.overrides.scheme ?? source.compression) === 'none') results[at] = await buildSource(request)
    else members.push({ at, source, failure })
  }
  const built = await buildTogether(
    members.map(({ source }) => source),
    requests[0]?.overrides,
  )
  for (const [place, { at, source, failure }] of members.entries()) {
    results[at] = describeResult(source, built.results[place]!, failure)
  }
  if (built.shared === undefined) return { results, header: null }
  const { rosetta, entries, headerTokens } = built.shared
  const tokenizer = await loadTokenizer(built.shared.compressions[0]!.tokenizer)
  const header = {
    rosetta,
    entries: entries.length,
    rosettaTokens: entries.length === 0 ? 0 : tokenizer.countTokens(rosetta),
    members: members.map(({ at }) => at),
    headerTokens,
  }
  return { results, header }
}
