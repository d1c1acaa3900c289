import type { BuildSettings } from '@packs/catalog'
import { decode } from '@packs/codec'
import { buildPack } from '@packs/codec/build'
import { sealPack, type Pack } from '@packs/codec/pack'
import { parseSource, type Source } from '@packs/codec/source'
import { PublishError, type SourceMessage } from '../publish-error.ts'
import { decideVersion, type DecideOptions, type Parent, type VersionDecision } from './decide-version.ts'
import { digestSource, resolveSettings } from './digest-source.ts'

/** A source file as it was found. */
export interface SourceFile {
  readonly bytes: Uint8Array
  /** As messages show it; slug and title are taken from it where nothing else gives them. A README's names its folder. */
  readonly path: string
}

/** A source file that could be read. */
export interface ReadSource {
  readonly file: SourceFile
  readonly source: Source
  readonly sourceDigest: string
  readonly settings: BuildSettings
  /** Warnings. */
  readonly messages: readonly SourceMessage[]
}

/** A version that is ready to be committed. */
export interface BuiltVersion {
  readonly settings: BuildSettings
  /** Warnings. */
  readonly messages: readonly SourceMessage[]
  /** Sealed, with its number. */
  readonly pack: Pack
  readonly decision: VersionDecision
}

/** Reads a source file. @throws PublishError `bad_source` */
export function readSource(file: SourceFile): ReadSource {
  const { bytes, path } = file
  const { source, messages } = parseSource(bytes, { path })
  if (source === undefined) throw refuseSource(path, messages)
  const settings = resolveSettings(source)
  return { file, source, sourceDigest: digestSource(bytes, settings), settings, messages }
}

/**
 * Builds the next version of a pack from its source file: reads, compresses, decides the number, seals, and proves that the
 * pack decodes to the source. Pure: no clock, no chance, no catalog.
 *
 * @param parent what was published before; `undefined` for a first version
 * @throws PublishError `bad_source`, `round_trip_failed`
 * @example
 * const { pack, decision } = await buildVersion({ bytes, path: 'tls.md' }, undefined)
 * pack.version // '1.0.0'
 */
export async function buildVersion(
  file: SourceFile,
  parent: Parent | undefined,
  options: DecideOptions = {},
): Promise<BuiltVersion> {
  const read = readSource(file)
  const { pack, messages } = await buildPack(read.source)
  const all = [...read.messages, ...messages]
  if (pack === undefined || messages.some(({ fatal }) => fatal === true)) throw refuseSource(file.path, all)
  proveRoundTrip(pack, read.source)
  const decision = decideVersion(read.source, parent, options)
  const { settings } = read
  return { settings, messages: all, pack: renumberPack(pack, decision.version), decision }
}

/** Gives a pack another version and seals it again. */
export function renumberPack(pack: Pack, version: string): Pack {
  const { pack_digest: _digest, ...draft } = pack
  return sealPack({ ...draft, version })
}

function proveRoundTrip({ content, rosetta, slug }: Pack, { body }: Source): void {
  if (decode(content, rosetta, { maxOutput: body.length }) === body) return
  throw new PublishError(
    'round_trip_failed',
    `The pack of ${slug} does not decode to its source`,
    'Nothing was published. Report this with the source; the scheme none avoids it.',
  )
}

function refuseSource(path: string, messages: readonly SourceMessage[]): PublishError {
  const errors = messages.filter(({ fatal }) => fatal === true)
  const [first] = errors
  const count = errors.length === 1 ? 'an error' : `${errors.length} errors, the first`
  return new PublishError(
    'bad_source',
    `${path} has ${count} on line ${first?.line ?? 1}: ${first?.ruleId ?? 'source'}`,
    'Run `pack build` on it to see what is wrong, and correct it.',
    { messages },
  )
}
