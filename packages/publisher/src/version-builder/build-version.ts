import type { BuildSettings } from '@packs/catalog'
import { restore } from '@packs/codec'
import { buildPack, type Pack } from '@packs/codec/pack'
import { PublishError, type SourceMessage } from '../publish-error.ts'
import {
  decideVersion,
  type DecideOptions,
  type Parent,
  type VersionDecision,
  renumberPack,
} from './decide-version.ts'
import { readSource, sourceError, type SourceFile } from './read-source.ts'

/** A version ready to commit. */
export interface BuiltVersion {
  readonly settings: BuildSettings
  /** Names of the fields that neither the author nor a configuration stated. */
  readonly assumed: readonly string[]
  /** Warnings. */
  readonly messages: readonly SourceMessage[]
  /** The sealed pack with its version number. */
  readonly pack: Pack
  readonly decision: VersionDecision
  /** Of the source as it was built. */
  readonly sourceDigest: string
}

/**
 * Builds the next version of a pack from its source file: reads, compresses, checks that the pack
 * decodes to the source, decides the version number and seals the pack. Deterministic: uses no
 * clock, randomness or catalog.
 * @param parent the versions published before; `undefined` for a first version
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
  if (pack === undefined || messages.some(({ fatal }) => fatal === true)) throw sourceError(file.path, all)
  const { body, assumed } = read.source
  if (restore(pack) !== body)
    throw new PublishError(
      'round_trip_failed',
      `The pack of ${pack.slug} does not decode to its source`,
      'Nothing was published. Report this with the source; the scheme `none` avoids it.',
    )
  const decision = decideVersion(read.source, parent, options)
  const { settings, sourceDigest } = read
  return {
    settings,
    assumed,
    messages: all,
    pack: renumberPack(pack, decision.version),
    decision,
    sourceDigest,
  }
}
