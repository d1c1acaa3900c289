/** How much a version changes, from nothing to what breaks its readers. */
export type Level = 'none' | VersionLevel

/** Which part of a version's number goes up. */
export type VersionLevel = 'patch' | 'minor' | 'major'

/** One difference between a version and its parent. */
export interface Reason {
  readonly level: Level
  readonly sentence: string
}

const RANKS: Readonly<Record<Level, number>> = { none: 0, patch: 1, minor: 2, major: 3 }
const MAX_REASONS = 20
const MAX_QUOTED = 80

/** The higher of two levels. */
export function maxLevel<T extends Level>(a: T, b: T): T {
  return RANKS[a] >= RANKS[b] ? a : b
}

/** Prints reasons, the gravest first, twenty at most. */
export function formatReasons(reasons: readonly Reason[]): string[] {
  const sorted = reasons.toSorted((a, b) => RANKS[b.level] - RANKS[a.level])
  const lines = sorted.slice(0, MAX_REASONS).map(({ level, sentence }) => `${level}: ${sentence}`)
  return sorted.length > MAX_REASONS ? [...lines, `and ${sorted.length - MAX_REASONS} more changes`] : lines
}

/** Quotes a part of a source, cut at 80 characters. */
export function quoteText(text: string): string {
  const characters = Array.from(text)
  return JSON.stringify(
    characters.length <= MAX_QUOTED ? text : `${characters.slice(0, MAX_QUOTED - 1).join('')}…`,
  )
}
