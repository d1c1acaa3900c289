import type { Source } from '@packs/codec/source'
import { compareFields } from './compare-fields.ts'
import { compareOutlines } from './compare-outlines.ts'
import { outlineLines } from './outline-lines.ts'
import { outlineTree } from './outline-tree.ts'
import { printReasons, raiseLevel, type Level, type Reason, type VersionLevel } from './reason.ts'
import { compareVersions, raiseVersion } from './version-number.ts'

/** What was published before: the newest version's source, and the highest number ever used. */
export interface Parent {
  /** Absent where it is not at hand any more: then everything counts as changed. */
  readonly source?: Source | undefined
  readonly highest: string
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
 * what changed since the newest version.
 *
 * *major*: a heading or a term of the author's glossary is gone or changed; *minor*: heading, block or term added, shape or
 * scheme changed; *patch*: other text, link target or metadata, or nothing but the layout of the source, as the bytes of the
 * pack may differ then too. Terms that the compressor chose never count.
 *
 * @example
 * decideVersion(next, { source: parent, highest: '1.2.0' }) // { version: '1.3.0', level: 'minor', reasons: ['minor: 1 paragraph was added'] }
 */
export function decideVersion(
  next: Source,
  parent: Parent | undefined,
  { bump, rebuild = false }: DecideOptions = {},
): VersionDecision {
  const ignored = bump === undefined ? [] : [`--bump ${bump} was ignored: the version needs no decision`]
  if (next.version !== undefined) return nameVersion(next.version, parent, ignored)
  if (parent === undefined)
    return { version: '1.0.0', level: null, reasons: ['it is the first version', ...ignored] }
  const found = compareSources(parent.source, next)
  const changed = found.reduce((level, reason) => raiseLevel(level, reason.level), 'none' as Level)
  const needed = changed === 'none' ? 'patch' : changed
  const level = raiseLevel(needed, bump ?? needed)
  const reasons = printReasons(found)
  if (changed === 'none') reasons.push(`patch: ${rebuild ? REBUILT : ONLY_LAYOUT}`)
  if (bump !== undefined && bump !== needed) {
    reasons.push(
      level === needed
        ? `--bump ${bump} was ignored: the changes need ${needed}`
        : `${level}: raised from ${needed} by --bump`,
    )
  }
  return { version: raiseVersion(parent.highest, level), level, reasons }
}

const REBUILT = 'the same source was built again'
const ONLY_LAYOUT = 'only the layout of the source changed'

function nameVersion(
  version: string,
  parent: Parent | undefined,
  ignored: readonly string[],
): VersionDecision {
  const isBehind = parent !== undefined && compareVersions(version, parent.highest) < 0
  const behind = isBehind ? [`it is lower than ${parent.highest}, the highest so far`] : []
  return { version, level: null, reasons: [`the front matter names ${version}`, ...behind, ...ignored] }
}

function compareSources(parent: Source | undefined, next: Source): Reason[] {
  if (parent === undefined)
    return [{ level: 'major', sentence: 'the source of the version before is not at hand to compare with' }]
  const before = outlineTree(parent.body)
  const after = before && outlineTree(next.body)
  const changes =
    before && after
      ? compareOutlines(before, after)
      : compareOutlines(outlineLines(parent.body), outlineLines(next.body))
  return [...changes, ...compareFields(parent, next)]
}
