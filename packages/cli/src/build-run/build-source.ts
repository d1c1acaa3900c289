import {
  buildPackSync,
  buildTogether,
  serializePack,
  type BuildResult as PackResult,
} from '@packs/codec/build'
import type { Source } from '@packs/codec/source'
import { summarizePack, type BuildResult } from '../output/build-result.ts'
import { toDiagnostic } from '../output/diagnostic.ts'
import { cutRatio } from '../output/format-table.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'
import { addError, readSource, type BuildRequest } from './read-source.ts'

/**
 * Builds one source in this thread. Errors are added to the `messages` of the result.
 *
 * @param run runs the build itself, which may take long
 */
export async function buildSource(
  request: BuildRequest,
  run: <Result>(build: () => Result) => Result = (build) => build(),
): Promise<BuildResult> {
  const { source, unbuilt } = await readSource(request)
  if (source === undefined) return unbuilt
  const { overrides } = request
  try {
    await loadTokenizer(overrides.tokenizer ?? source.tokenizer)
    const built = run(() => buildPackSync(source, overrides))
    return completeResult(built, unbuilt)
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
  const sources = members.map(({ source }) => source)
  for (const { tokenizer } of sources) await loadTokenizer(requests[0]?.overrides.tokenizer ?? tokenizer)
  const built = await buildTogether(sources, requests[0]?.overrides)
  for (const [member, { at, unbuilt }] of members.entries()) {
    results[at] = completeResult(built.results[member]!, unbuilt)
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

/** Adds the pack and the messages of a build to the result of reading its source. */
function completeResult(built: PackResult, unbuilt: BuildResult): BuildResult {
  const messages = [
    ...unbuilt.messages,
    ...built.messages.map((message) => toDiagnostic(message, unbuilt.shown)),
  ]
  const { pack, compression } = built
  if (!pack || !compression) return { ...unbuilt, messages }
  return {
    ...unbuilt,
    pack: summarizePack(pack, compression.entries.length, cutRatio(compression.optimality)),
    text: serializePack(pack),
    messages,
  }
}
