import { basename, dirname } from 'node:path'
import { buildPack, type BuildResult as PackResult, buildTogether } from '@packs/codec/build'
import { serializePack } from '@packs/codec/pack'
import { parseSource, type Source } from '@packs/codec/source'
import { MAX_SOURCE_BYTES, readBounded } from '../input/read-bounded.ts'
import { errorDiagnostic, toDiagnostic, type Diagnostic } from '../output/diagnostic.ts'
import { describeError } from '../output/report-error.ts'
import { cutRatio } from '../output/format-table.ts'
import type { BuildResult } from '../output/build-result.ts'
import type { Scheme } from '@packs/codec'
import { type TokenizerName, loadTokenizer } from '@packs/codec/tokens'

/** Builds one source, here and now; whatever is wrong with it stands in `messages`. */
export async function buildSource(request: BuildRequest): Promise<BuildResult> {
  const { source, unbuilt: failure } = await readSource(request)
  if (source === undefined) return failure
  try {
    return completeResult(source, await buildPack(source, request.overrides), failure)
  } catch (error) {
    return addError(failure, error)
  }
}

/** A source that was read, if it could be, and the result that stands for it as long as there is no pack. */
export interface ReadSource {
  readonly source?: Source
  readonly unbuilt: BuildResult
}

/** Reads one source; whatever is wrong with it stands in the messages of `failure`. */
export async function readSource({ path, shown, bytes }: BuildRequest): Promise<ReadSource> {
  const messages: Diagnostic[] = []
  const failure = { path, shown, pack: null, slugPosition: null, text: null, messages }
  try {
    const parsed = parseSource(
      bytes ?? (await readBounded(path, MAX_SOURCE_BYTES, shown)),
      path === '-' ? { path: 'stdin' } : { path: shown, folder: basename(dirname(path)) },
    )
    for (const message of parsed.messages) messages.push(toDiagnostic(message, shown))
    const { source } = parsed
    return source === undefined
      ? { unbuilt: failure }
      : { source, unbuilt: { ...failure, domain: { name: source.domain, slug: source.domainSlug } } }
  } catch (error) {
    return { unbuilt: addError(failure, error) }
  }
}

/** Adds what the build of a source gave to what its reading did. */
export function completeResult(source: Source, built: PackResult, failure: BuildResult): BuildResult {
  const messages = [
    ...failure.messages,
    ...built.messages.map((message) => toDiagnostic(message, failure.shown)),
  ]
  const { pack, compression } = built
  if (!pack || !compression) return { ...failure, messages }
  return {
    ...failure,
    pack: {
      slug: pack.slug,
      version: pack.version,
      compression: pack.compression,
      tokenizer: pack.tokenizer,
      uncompressed_estimate: pack.uncompressed_estimate,
      token_count: pack.token_count,
      rosetta_tokens: pack.rosetta_tokens,
      savings_pct: pack.savings_pct,
      net_savings_pct: pack.net_savings_pct,
      entries: compression.entries.length,
      optimality: cutRatio(compression.optimality),
    },
    slugPosition: source.places.get('slug') ?? null,
    text: serializePack(pack),
    messages,
  }
}

function addError(failure: BuildResult, error: unknown): BuildResult {
  const { code, message, hint } = describeError(error)
  return { ...failure, messages: [...failure.messages, errorDiagnostic(failure.shown, code, message, hint)] }
}

/** What the command line asks of every source; it goes before the front matter. */
export interface BuildOverrides {
  readonly scheme?: Scheme
  readonly code?: boolean
  readonly tokenizer?: TokenizerName
  /** Most tokens of a pack, header included. */
  readonly budget?: number
  readonly effort?: 'fast' | 'best'
}

/** One source to build; plain data, so that it can be sent to a worker. */
export interface BuildRequest {
  /** Absolute path, or `-` with `bytes` given. */
  readonly path: string
  readonly shown: string
  readonly bytes?: Uint8Array
  readonly overrides: BuildOverrides
}

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
export interface SharedBuild {
  readonly results: readonly BuildResult[]
  readonly header: SharedHeader | null
}

/** Builds sources with one header, here and now; those of scheme `none` have no header and are built as ever. */
export async function buildShared(requests: readonly BuildRequest[]): Promise<SharedBuild> {
  const results: BuildResult[] = []
  const members: { at: number; source: Source; failure: BuildResult }[] = []
  for (const [at, request] of requests.entries()) {
    const { source, unbuilt: failure } = await readSource(request)
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
    results[at] = completeResult(source, built.results[place]!, failure)
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
