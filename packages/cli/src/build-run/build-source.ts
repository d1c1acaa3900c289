import { basename, dirname } from 'node:path'
import type { Scheme } from '@packs/codec'
import { buildPack, buildTogether, type BuildResult as PackResult } from '@packs/codec/build'
import { serializePack } from '@packs/codec/pack'
import { type GivenFields, parseSource, type Source } from '@packs/codec/source'
import { loadTokenizer, type TokenizerName } from '@packs/codec/tokens'
import { MAX_SOURCE_BYTES, readBounded } from '../input/read-bounded.ts'
import type { BuildResult } from '../output/build-result.ts'
import { errorDiagnostic, toDiagnostic, type Diagnostic } from '../output/diagnostic.ts'
import { cutRatio } from '../output/format-table.ts'
import { describeError } from '../output/report-error.ts'

/** Build options of the command line; they override the front matter of every source. */
export interface BuildOverrides {
  readonly scheme?: Scheme
  readonly code?: boolean
  readonly tokenizer?: TokenizerName
  /** Maximum number of tokens of a pack, header included. */
  readonly budget?: number
  readonly effort?: 'fast' | 'best'
}

/** One source to build; plain data, so that it can be sent to a worker. */
export interface BuildRequest {
  /** Absolute path, or `-` with `bytes` given. */
  readonly path: string
  /** Name of the file in messages. */
  readonly shown: string
  readonly bytes?: Uint8Array
  readonly overrides: BuildOverrides
  /** Values from outside of the file, which its front matter overrides. */
  readonly given?: GivenFields
}

/** Builds one source in this thread. Errors are added to the `messages` of the result. */
export async function buildSource(request: BuildRequest): Promise<BuildResult> {
  const { source, unbuilt } = await readSource(request)
  if (source === undefined) return unbuilt
  try {
    return completeResult(source, await buildPack(source, request.overrides), unbuilt)
  } catch (error) {
    return addError(unbuilt, error)
  }
}

/** A header shared by several packs, with the figures that are counted where it is built. */
export interface SharedHeader {
  readonly rosetta: string
  readonly entries: number
  readonly rosettaTokens: number
  /** Indexes of the requests whose packs share the header. */
  readonly members: readonly number[]
  /** Header tokens that the first member needs, the first two members, and so on. */
  readonly headerTokens: readonly number[]
}

/** Result of building sources with a shared header. Where `header` is null, the messages of each result say why. */
export interface SharedBuild {
  readonly results: readonly BuildResult[]
  readonly header: SharedHeader | null
}

/** Builds sources with one header in this thread. Sources of scheme `none` have no header and are built alone. */
export async function buildShared(requests: readonly BuildRequest[]): Promise<SharedBuild> {
  const results: BuildResult[] = []
  const members: { at: number; source: Source; unbuilt: BuildResult }[] = []
  for (const [at, request] of requests.entries()) {
    const { source, unbuilt } = await readSource(request)
    results[at] = unbuilt
    if (source === undefined) continue
    if ((request.overrides.scheme ?? source.compression) === 'none') results[at] = await buildSource(request)
    else members.push({ at, source, unbuilt })
  }
  const built = await buildTogether(
    members.map(({ source }) => source),
    requests[0]?.overrides,
  )
  for (const [member, { at, source, unbuilt }] of members.entries()) {
    results[at] = completeResult(source, built.results[member]!, unbuilt)
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

interface ReadSource {
  /** Absent if the source could not be read or parsed. */
  readonly source?: Source
  /** The result as long as there is no pack, with the messages of reading and parsing. */
  readonly unbuilt: BuildResult
}

async function readSource({ path, shown, bytes, given = {} }: BuildRequest): Promise<ReadSource> {
  const messages: Diagnostic[] = []
  const unbuilt = { path, shown, pack: null, slugPosition: null, text: null, messages }
  try {
    const parsed = parseSource(
      bytes ?? (await readBounded(path, MAX_SOURCE_BYTES, shown)),
      path === '-' ? { path: 'stdin', given } : { path: shown, folder: basename(dirname(path)), given },
    )
    for (const message of parsed.messages) messages.push(toDiagnostic(message, shown))
    const { source } = parsed
    return source === undefined
      ? { unbuilt }
      : { source, unbuilt: { ...unbuilt, domain: { name: source.domain, slug: source.domainSlug } } }
  } catch (error) {
    return { unbuilt: addError(unbuilt, error) }
  }
}

/** Adds the pack and the messages of a build to the result of reading its source. */
function completeResult(source: Source, built: PackResult, unbuilt: BuildResult): BuildResult {
  const messages = [
    ...unbuilt.messages,
    ...built.messages.map((message) => toDiagnostic(message, unbuilt.shown)),
  ]
  const { pack, compression } = built
  if (!pack || !compression) return { ...unbuilt, messages }
  return {
    ...unbuilt,
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

function addError(result: BuildResult, error: unknown): BuildResult {
  const { code, message, hint } = describeError(error)
  return { ...result, messages: [...result.messages, errorDiagnostic(result.shown, code, message, hint)] }
}
