import { findHeadings, scanLines } from '@packs/codec/markdown'
import { diffRuns, type Run } from './compare-texts.ts'

/** A heading of a body. Lines count from 1. */
export interface Heading {
  readonly level: number
  readonly text: string
  readonly line: number
}

/** A heading of one text and the one that stands for it in the other. */
export interface HeadingPair {
  readonly before: Heading
  readonly after: Heading
}

/** How the headings of two bodies differ. */
export interface HeadingComparison {
  readonly added: readonly Heading[]
  readonly removed: readonly Heading[]
  /** Another text or level at the same place. */
  readonly renamed: readonly HeadingPair[]
  /** The same heading at another place among the others. */
  readonly moved: readonly HeadingPair[]
}

/** Most headings that may differ before they are compared without their order. */
const MOST_CHANGES = 1_000

/**
 * Compares the headings of two markdown bodies. Those in quotes, lists and code do not count.
 *
 * @param offsets lines before each body in its file
 */
export function compareHeadings(
  before: string,
  after: string,
  offsets: readonly [before: number, after: number] = [0, 0],
): HeadingComparison {
  const [old, now] = [listHeadings(before, offsets[0]), listHeadings(after, offsets[1])]
  const runs = findRuns(old, now)
  const removed = runs.flatMap((run) => run.removed)
  const added = runs.flatMap((run) => run.added)
  const moved = pairEqual(removed, added)
  const taken = new Set(moved.flatMap((pair) => [pair.before, pair.after]))
  const renamed = runs.flatMap((run) =>
    pairRenamed(
      run.removed.filter((heading) => !taken.has(heading)),
      run.added.filter((heading) => !taken.has(heading)),
    ),
  )
  for (const pair of renamed) taken.add(pair.before).add(pair.after)
  return {
    added: added.filter((heading) => !taken.has(heading)),
    removed: removed.filter((heading) => !taken.has(heading)),
    renamed,
    moved,
  }
}

/** @param offset lines before the body in its file */
export function listHeadings(body: string, offset = 0): Heading[] {
  const headings = findHeadings(scanLines(body, { frontMatter: false }))
  return Array.from(headings, ({ level, text, line }) => ({
    level,
    line: line + 1 + offset,
    text: text.replace(/\s+/g, ' ').trim().slice(0, 300),
  }))
}

/** Finds the headings that differ, in runs between those that are the same. */
function findRuns(before: readonly Heading[], after: readonly Heading[]): readonly Run<Heading>[] {
  const isEqual = (a: Heading, b: Heading): boolean => a.level === b.level && a.text === b.text
  const whole = { removed: before, added: after, at: [0, 0] as const }
  return diffRuns(before, after, MOST_CHANGES, isEqual) ?? [whole]
}

function pairEqual(removed: readonly Heading[], added: readonly Heading[]): HeadingPair[] {
  const key = ({ level, text }: Heading): string => `${level} ${text}`
  const places = Map.groupBy(added, key)
  return removed.flatMap((before) => {
    const after = places.get(key(before))?.shift()
    return after === undefined ? [] : [{ before, after }]
  })
}

/** Pairs headings with equal texts, then, where as many are left on both sides, those at the same place and level. */
function pairRenamed(removed: readonly Heading[], added: readonly Heading[]): HeadingPair[] {
  const texts = Map.groupBy(added, ({ text }) => text)
  const pairs = removed.flatMap((before) => {
    const after = texts.get(before.text)?.shift()
    return after === undefined ? [] : [{ before, after }]
  })
  const paired = new Set(pairs.flatMap(({ before, after }) => [before, after]))
  const old = removed.filter((heading) => !paired.has(heading))
  const now = added.filter((heading) => !paired.has(heading))
  if (old.length !== now.length) return pairs
  const placed = old.map((before, at) => ({ before, after: now[at]! }))
  return [...pairs, ...placed.filter(({ before, after }) => before.level === after.level)]
}
