import { diffArrays } from 'diff'

/** A passage that differs. Lines count from 1; the texts are lines with their line ends. */
export interface Passage {
  readonly lineBefore: number
  readonly lineAfter: number
  readonly before: string
  readonly after: string
}

/** How two texts differ. */
export interface TextComparison {
  readonly wordsBefore: number
  readonly wordsAfter: number
  readonly added: number
  readonly removed: number
  /** The texts differ in so much that words were counted without their order, or as one passage. */
  readonly isEstimate: boolean
  readonly passages: readonly Passage[]
}

/**
 * Maximum differing lines of two texts before everything between the first and the last difference
 * counts as one passage.
 */
const MOST_LINES = 2_000
/** Most words that a passage may differ in before its words are counted without their order. */
const MOST_WORDS = 400
/** Most characters of all passages that are compared with their words in order. */
const ORDERED_CHARACTERS = 1_000_000

/**
 * A word: letters, digits and marks; or one character of a script that puts no spaces between
 * words.
 */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}_'’])+/gu

/**
 * Compares two texts line by line, and the passages that differ word by word.
 *
 * The work is bounded: texts that differ too much are compared less precisely, and `isEstimate` is
 * set.
 *
 * @param offsets lines before each text in its file
 */
export function compareTexts(
  before: string,
  after: string,
  offsets: readonly [before: number, after: number] = [0, 0],
): TextComparison {
  const { passages, isWhole } = findPassages(splitLines(before), splitLines(after), offsets)
  let [added, removed, budget] = [0, 0, ORDERED_CHARACTERS]
  let isEstimate = isWhole
  for (const { before: old, after: now } of passages) {
    budget -= old.length + now.length
    const ordered = budget < 0 ? undefined : countOrdered(splitWords(old), splitWords(now))
    const counted = ordered ?? countUnordered(old, now)
    isEstimate ||= ordered === undefined
    added += counted.added
    removed += counted.removed
  }
  const [wordsBefore, wordsAfter] = [countWords(before), countWords(after)]
  return { wordsBefore, wordsAfter, added, removed, isEstimate, passages }
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function splitWords(text: string): string[] {
  return text.match(WORD) ?? []
}

/** Counts words without making a list of them. */
function countWords(text: string): number {
  let count = 0
  for (const _match of text.matchAll(WORD)) count++
  return count
}

/** With `isWhole`, everything between the first and the last difference is one passage. */
function findPassages(
  before: readonly string[],
  after: readonly string[],
  offsets: readonly [before: number, after: number],
): { readonly passages: readonly Passage[]; readonly isWhole: boolean } {
  const start = countEqual(before.length, after.length, (at) => before[at] === after[at])
  const [rest, other] = [before.length - start, after.length - start]
  const end = countEqual(rest, other, (at) => before.at(-1 - at) === after.at(-1 - at))
  const old = before.slice(start, before.length - end)
  const now = after.slice(start, after.length - end)
  if (old.length === 0 && now.length === 0) return { passages: [], isWhole: false }
  const found = diffRuns(old, now, MOST_LINES)
  const runs = found ?? [{ removed: old, added: now, at: [0, 0] as const }]
  const passages = runs.map(({ removed, added, at }) => ({
    lineBefore: start + at[0] + 1 + offsets[0],
    lineAfter: start + at[1] + 1 + offsets[1],
    before: removed.join(''),
    after: added.join(''),
  }))
  return { passages, isWhole: found === undefined }
}

/** What differs between two parts that are the same, and where it begins on each side. */
export interface Run<Item> {
  readonly removed: readonly Item[]
  readonly added: readonly Item[]
  readonly at: readonly [before: number, after: number]
}

/** Finds the runs of items that differ; undefined if they are more than `most`. */
export function diffRuns<Item>(
  before: readonly Item[],
  after: readonly Item[],
  most: number,
  comparator?: (a: Item, b: Item) => boolean,
): Run<Item>[] | undefined {
  const options = { maxEditLength: most, ...(comparator && { comparator }) }
  const changes = diffArrays([...before], [...after], options)
  if (changes === undefined) return undefined
  const runs: { removed: Item[]; added: Item[]; at: [number, number] }[] = []
  const at: [number, number] = [0, 0]
  let isOpen = false
  for (const { added, removed, value } of changes) {
    if (!isOpen && (added || removed)) runs.push({ removed: [], added: [], at: [...at] })
    isOpen = added || removed
    if (isOpen) runs.at(-1)![removed ? 'removed' : 'added'].push(...value)
    if (!added) at[0] += value.length
    if (!removed) at[1] += value.length
  }
  return runs
}

function countEqual(length: number, other: number, isEqual: (at: number) => boolean): number {
  let count = 0
  while (count < length && count < other && isEqual(count)) count++
  return count
}

type WordCounts = Pick<TextComparison, 'added' | 'removed'>

/** Returns undefined if the words differ too much. */
function countOrdered(before: readonly string[], after: readonly string[]): WordCounts | undefined {
  // If one side has no words, all words of the other are new or removed.
  if (before.length === 0 || after.length === 0) return { added: after.length, removed: before.length }
  const runs = diffRuns(before, after, MOST_WORDS)
  return (
    runs && {
      added: runs.reduce((sum, run) => sum + run.added.length, 0),
      removed: runs.reduce((sum, run) => sum + run.removed.length, 0),
    }
  )
}

function countUnordered(before: string, after: string): WordCounts {
  const counts = new Map<string, number>()
  for (const [word] of before.matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) - 1)
  for (const [word] of after.matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1)
  let [added, removed] = [0, 0]
  for (const count of counts.values()) {
    if (count > 0) added += count
    else removed -= count
  }
  return { added, removed }
}
