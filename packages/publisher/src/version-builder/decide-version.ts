import type { Source } from '@packs/codec/source'
import { compareSources } from './compare-sources.ts'
import { type Level, formatReasons, maxLevel, type Reason, type VersionLevel } from './reason.ts'

/** A version that was published before. */
export interface EarlierVersion {
  readonly version: string
  /** Absent where it is not at hand any more: then everything counts as changed. */
  readonly source?: Source | undefined
}

/** What was published before: the newest version, the highest number ever used, and what readers have. */
export interface Parent extends EarlierVersion {
  readonly highest: string
  /** The highest version not yanked, where it is another than the newest. */
  readonly latest?: EarlierVersion | undefined
}

export interface DecideOptions {
  /** Raises the level; one below that of the changes is ignored, and said. */
  readonly bump?: VersionLevel | undefined
  /** The same source is published again on purpose; only the reason tells. @default false */
  readonly rebuild?: boolean | undefined
}

/** The number of a version and why it has it. */
export interface VersionDecision {
  readonly version: string
  /** `null` for a first version and for one that the author named. */
  readonly level: VersionLevel | null
  /** One sentence each. */
  readonly reasons: readonly string[]
}

/**
 * Decides the number of a version: the one its front matter names, `1.0.0` for a first, else the highest number raised by
 * what changed since the newest version, or since the latest that readers have where that is another and more changed.
 *
 * *major*: a heading or a term of the author's glossary is gone or changed; *minor*: heading, block or term added, shape or
 * scheme changed; *patch*: other text, link target or metadata, or nothing but the layout of the source, as the bytes of the
 * pack may differ then too. Terms that the compressor chose never count.
 *
 * @example
 * decideVersion(next, { version: '1.2.0', source: parent, highest: '1.2.0' }) // { version: '1.3.0', level: 'minor', reasons: ['minor: 1 paragraph was added'] }
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
  if (changed === 'none') reasons.push(`patch: ${rebuild ? REBUILT : ONLY_LAYOUT}`)
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

/** Says which options do nothing for a version whose number is not decided, one sentence each. */
export function listIgnoredOptions({ bump, rebuild }: DecideOptions): string[] {
  const options = [...(bump === undefined ? [] : [`--bump ${bump}`]), ...(rebuild ? ['--rebuild'] : [])]
  return options.map((option) => `${option} was ignored: the version needs no decision`)
}

const REBUILT = 'the same source was built again'

const ONLY_LAYOUT = 'only the layout of the source changed'

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
  /** With which version, where there was a choice. */
  readonly compared: readonly string[]
}

/** What was yanked, or is lower than others, is not what readers upgrade from: the greater change counts. */
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

/** Gives the version that follows `version` at a level; a part that is full carries into the one before. */
export function incrementVersion(version: string, level: VersionLevel): string {
  const [major = 0, minor = 0, patch = 0] = parseVersion(version)
  if (level === 'patch' && patch < MAX_PART) return `${major}.${minor}.${patch + 1}`
  if (level !== 'major' && minor < MAX_PART) return `${major}.${minor + 1}.0`
  return `${major + 1}.0.0`
}

/** Below zero where `a` comes before `b`. */
export function compareVersions(a: string, b: string): number {
  const others = parseVersion(b)
  return parseVersion(a).reduce((found, part, at) => found || part - (others[at] ?? 0), 0)
}

function parseVersion(version: string): number[] {
  return version.split('.').map(Number)
}
