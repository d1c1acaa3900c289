import { compareVersions, sealPack } from '@packs/codec/internal'
import { type Source, type Pack, buildPack } from '@packs/codec/pack'
import {
  compareSources,
  formatReasons,
  maxLevel,
  type Level,
  type Reason,
  type VersionLevel,
} from './compare-sources.ts'
import { serializeSorted, readSource, sourceError, type SourceFile } from './read-source.ts'
import { createRequire } from 'node:module'
import type { BuildSettings } from '@packs/catalog'
import { restore } from '@packs/codec'
import { PublishError, type SourceMessage } from '../publish-error.ts'

export interface EarlierVersion {
  readonly version: string
  /** Absent if it is no longer available: then the change is major. */
  readonly source?: Source | undefined
}

/** The newest version, the highest number so far, and the version that readers get. */
export interface Parent extends EarlierVersion {
  readonly highest: string
  /** The highest version that is not yanked, if that is not the newest one. */
  readonly latest?: EarlierVersion | undefined
}

export interface DecideOptions {
  /** Raises the level. A level lower than the changes need is ignored; a reason says so. */
  readonly bump?: VersionLevel | undefined
  /** The same source is published again on purpose. Changes only the reason. @default false */
  readonly rebuild?: boolean | undefined
}

export interface VersionDecision {
  readonly version: string
  /** `null` for a first version and for a version that the author named. */
  readonly level: VersionLevel | null
  /** One sentence each. */
  readonly reasons: readonly string[]
}

/**
 * Decides the version number: the one named in the front matter, `1.0.0` for a first version, else
 * the highest number so far incremented at the level of the changes. The source is compared with
 * the newest version and, if readers get another one as latest, with that one too; the larger
 * change counts.
 *
 * What is major, minor or patch: see `compareSources`. A source without differences makes a patch
 * too, because a change of its layout may change the bytes of the pack.
 */
export function decideVersion(
  next: Source,
  parent: Parent | undefined,
  { bump, rebuild = false }: DecideOptions = {},
): VersionDecision {
  const ignored = listIgnoredOptions({ bump, rebuild })
  if (next.version !== undefined) return decideNamedVersion(next.version, parent, ignored)
  if (parent === undefined)
    return { version: '1.0.0', level: null, reasons: ['it is the first version', ...ignored] }
  const { changed, found, compared } = compareParent(parent, next)
  const needed = changed === 'none' ? 'patch' : changed
  const level = maxLevel(needed, bump ?? needed)
  const reasons = formatReasons(found)
  if (changed === 'none') reasons.push(`patch: ${rebuild ? REBUILT : explainUnchanged(parent.source, next)}`)
  reasons.push(...compared)
  if (bump !== undefined && bump !== needed) {
    reasons.push(
      level === needed
        ? `--bump ${bump} was ignored: the changes need ${needed}`
        : `${level}: raised from ${needed} by --bump`,
    )
  }
  return { version: incrementVersion(parent.highest, level), level, reasons }
}

const REBUILT = 'the same source was built again'

function explainUnchanged(parent: Source | undefined, next: Source): string {
  const isSameFile = parent?.frontMatter === next.frontMatter && parent?.body === next.body
  return isSameFile && serializeSorted(parent?.defaults) !== serializeSorted(next.defaults)
    ? 'only values from outside of the source changed, and they have no effect'
    : 'only the layout of the source changed'
}

function decideNamedVersion(
  version: string,
  parent: Parent | undefined,
  ignored: readonly string[],
): VersionDecision {
  const isBehind = parent !== undefined && compareVersions(version, parent.highest) < 0
  const behind = isBehind ? [`it is lower than ${parent.highest}, the highest so far`] : []
  return { version, level: null, reasons: [`the front matter names ${version}`, ...behind, ...ignored] }
}

interface Comparison {
  readonly changed: Level
  readonly found: readonly Reason[]
  /** Sentence that names the compared version, if there were two. */
  readonly compared: readonly string[]
}

/** Readers have the latest version, which may not be the newest: the larger change counts. */
function compareParent(parent: Parent, next: Source): Comparison {
  const newest = compareEarlier(parent, next)
  if (parent.latest === undefined) return newest
  const latest = compareEarlier(parent.latest, next)
  return maxLevel(newest.changed, latest.changed) === newest.changed
    ? { ...newest, compared: [`compared with ${parent.version}, the newest version`] }
    : { ...latest, compared: [`compared with ${parent.latest.version}, the latest that readers have`] }
}

function compareEarlier({ source }: EarlierVersion, next: Source): Comparison {
  const found = compareSources(source, next)
  const changed = found.reduce((level, reason) => maxLevel(level, reason.level), 'none' as Level)
  return { changed, found, compared: [] }
}

const MAX_PART = 999_999_999

/** Increments a version at a level. A part at its maximum carries into the part before it. */
export function incrementVersion(version: string, level: VersionLevel): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (level === 'patch' && patch < MAX_PART) return `${major}.${minor}.${patch + 1}`
  if (level !== 'major' && minor < MAX_PART) return `${major}.${minor + 1}.0`
  return `${major + 1}.0.0`
}

const manifest = createRequire(import.meta.url)('@packs/codec/package.json') as { readonly version: string }

/** Version of the codec in use, recorded in the provenance of each version. */
export const codecVersion: string = manifest.version

export function renumberPack(pack: Pack, version: string): Pack {
  const { pack_digest: _digest, ...draft } = pack
  return sealPack({ ...draft, version })
}

/** Explains options that have no effect because no changes decide the number. */
export function listIgnoredOptions({
  bump,
  rebuild,
}: {
  readonly bump?: VersionLevel | undefined
  readonly rebuild?: boolean | undefined
}): string[] {
  const options = [...(bump === undefined ? [] : [`--bump ${bump}`]), ...(rebuild ? ['--rebuild'] : [])]
  return options.map((option) => `${option} was ignored: the version needs no decision`)
}

export interface BuiltVersion {
  readonly settings: BuildSettings
  /** Names of the fields that neither the author nor a configuration stated. */
  readonly assumed: readonly string[]
  readonly messages: readonly SourceMessage[]
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
