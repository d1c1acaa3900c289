/** Size of a change, from none to one that breaks readers. */
export type Level = 'none' | VersionLevel

/** Part of the version number to increment. */
export type VersionLevel = 'patch' | 'minor' | 'major'

/** One difference between a version and its parent. */
export interface Reason {
  readonly level: Level
  readonly sentence: string
}

const RANKS: Readonly<Record<Level, number>> = { none: 0, patch: 1, minor: 2, major: 3 }
const MAX_REASONS = 20
const MAX_QUOTED = 80

/** Returns the higher of two levels. */
export function maxLevel<T extends Level>(a: T, b: T): T {
  return RANKS[a] >= RANKS[b] ? a : b
}

/** Formats reasons, highest level first, at most 20. */
export function formatReasons(reasons: readonly Reason[]): string[] {
  const sorted = reasons.toSorted((a, b) => RANKS[b.level] - RANKS[a.level])
  const lines = sorted.slice(0, MAX_REASONS).map(({ level, sentence }) => `${level}: ${sentence}`)
  return sorted.length > MAX_REASONS ? [...lines, `and ${sorted.length - MAX_REASONS} more changes`] : lines
}

/** Quotes text of a source, truncated to 80 characters. */
export function quoteText(text: string): string {
  const characters = Array.from(text)
  return JSON.stringify(
    characters.length <= MAX_QUOTED ? text : `${characters.slice(0, MAX_QUOTED - 1).join('')}…`,
  )
}
