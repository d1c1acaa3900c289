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

/** Most lines that two texts may differ in before the part between their first and last difference is one passage. */
const MOST_LINES = 2_000
/** Most words that a passage may differ in before its words are counted without their order. */
const MOST_WORDS = 400
/** Most characters of all passages that are compared with their words in order. */
const ORDERED_CHARACTERS = 1_000_000

/** A word: letters, digits and marks; or one character of a script that puts no spaces between words. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}_'’])+/gu

/**
 * Compares two texts line by line, and the passages that differ word by word.
 *
 * The work is bounded: what differs too much is compared with less precision, as `isEstimate` says.
 */
export function compareTexts(before: string, after: string): TextComparison {
  const { passages, isWhole } = findPassages(splitLines(before), splitLines(after))
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

interface FoundPassages {
  readonly passages: readonly Passage[]
  /** Everything between the first and the last difference is one passage. */
  readonly isWhole: boolean
}

function findPassages(before: readonly string[], after: readonly string[]): FoundPassages {
  const start = countEqual(before.length, after.length, (at) => before[at] === after[at])
  const [rest, other] = [before.length - start, after.length - start]
  const end = countEqual(rest, other, (at) => before.at(-1 - at) === after.at(-1 - at))
  const old = before.slice(start, before.length - end)
  const now = after.slice(start, after.length - end)
  if (old.length === 0 && now.length === 0) return { passages: [], isWhole: false }
  const changes = diffArrays(old, now, { maxEditLength: MOST_LINES })
  const whole = { lineBefore: start + 1, lineAfter: start + 1, before: old.join(''), after: now.join('') }
  if (changes === undefined) return { passages: [whole], isWhole: true }
  const passages: Passage[] = []
  let [lineBefore, lineAfter] = [start + 1, start + 1]
  let open: { removed: string[]; added: string[] } | undefined
  const close = (): void => {
    if (open === undefined) return
    const { removed, added } = open
    passages.push({ lineBefore, lineAfter, before: removed.join(''), after: added.join('') })
    lineBefore += removed.length
    lineAfter += added.length
    open = undefined
  }
  for (const { added, removed, value } of changes) {
    if (!added && !removed) {
      close()
      lineBefore += value.length
      lineAfter += value.length
      continue
    }
    open ??= { removed: [], added: [] }
    open[removed ? 'removed' : 'added'].push(...value)
  }
  close()
  return { passages, isWhole: false }
}

function countEqual(length: number, other: number, isEqual: (at: number) => boolean): number {
  let count = 0
  while (count < length && count < other && isEqual(count)) count++
  return count
}

interface WordCounts {
  readonly added: number
  readonly removed: number
}

/** Returns undefined if the words differ too much. */
function countOrdered(before: readonly string[], after: readonly string[]): WordCounts | undefined {
  // Where one side has no words, all of the other side are new or gone.
  if (before.length === 0 || after.length === 0) return { added: after.length, removed: before.length }
  const changes = diffArrays([...before], [...after], { maxEditLength: MOST_WORDS })
  if (changes === undefined) return undefined
  const counts = { added: 0, removed: 0 }
  for (const { added, removed, value } of changes) {
    if (added) counts.added += value.length
    if (removed) counts.removed += value.length
  }
  return counts
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
