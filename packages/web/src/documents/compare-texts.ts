import type { Section } from '@packs/codec/sections'
import { diffArrays } from 'diff'

/** A run of words; `null` for words that both versions have. */
export interface WordRun {
  readonly kind: 'added' | 'removed' | null
  readonly text: string
}

/** A passage that changed, with the lines around it. */
export interface Hunk {
  /** Unchanged lines that are omitted before it. */
  readonly skipped: number
  /** The section of the newer text that it is in; undefined before the first heading. */
  readonly section: Pick<Section, 'id' | 'title'> | undefined
  /** Whole lines each. One with several runs has words that changed and words that did not. */
  readonly pieces: readonly (readonly WordRun[])[]
}

export interface TextComparison {
  readonly hunks: readonly Hunk[]
  /** Unchanged lines that are omitted after the last hunk. */
  readonly rest: number
  /** Whether more changed than the hunks show. */
  readonly isTruncated: boolean
}

/**
 * Lines that may differ before everything between the first and last difference counts as replaced,
 * and their product with the lines of both texts.
 */
const MAX_EDITS = 1000
const MAX_WORK = 20_000_000
/** UTF-16 units of a passage whose words are compared, and words in which it may differ. */
const MAX_COMPARED = 4000
const MAX_WORD_EDITS = 200
/** Share of the longer side that both must have, so that marked words are easy to read. */
const LEAST_COMMON = 0.25
/** Passages that a page shows, and their UTF-16 units with those of the markup of each run. */
const MAX_PASSAGES = 300
const MAX_SHOWN = 100_000
const RUN_MARKUP = 64
/** Lines around a passage, and their UTF-16 units. */
const CONTEXT = 2
const MAX_CONTEXT = 300

/**
 * Compares two texts line by line, and the words of lines that changed. Work and result are
 * bounded.
 *
 * @param sections of the newer text, in order, without the text before the first heading
 * @example
 * compareTexts('a\nb c\n', 'a\nb d\n').hunks[0]?.pieces // `a`, then `b` with `c` and `d`
 */
export function compareTexts(
  before: string,
  after: string,
  sections: readonly Pick<Section, 'id' | 'title' | 'start'>[] = [],
): TextComparison {
  const changes = diffLines(splitLines(before), splitLines(after))
  const hunks: { skipped: number; section: Hunk['section']; pieces: (readonly WordRun[])[] }[] = []
  let [passages, left, offset] = [0, MAX_SHOWN, 0]
  let [isOpen, skipped, context] = [false, 0, '']
  for (let at = 0; at < changes.length; at++) {
    const { added, removed, value } = changes[at]!
    if (!added && !removed) {
      const isLast = at === changes.length - 1
      const text = value.join('')
      offset += text.length
      const isShort = value.length <= 2 * CONTEXT && text.length <= 2 * MAX_CONTEXT
      const head = isOpen ? value.slice(0, isShort && !isLast ? value.length : CONTEXT) : []
      const tail = isLast ? [] : value.slice(Math.max(head.length, value.length - CONTEXT))
      if (head.length > 0) hunks.at(-1)!.pieces.push([{ kind: null, text: cutEnd(head.join('')) }])
      skipped = value.length - head.length - tail.length
      context = cutStart(tail.join(''))
      isOpen &&= isShort && !isLast
      continue
    }
    const next = changes[at + 1]
    const pair = next?.added || next?.removed ? [changes[at]!, next] : [changes[at]!]
    at += pair.length - 1
    const join = (kind: 'added' | 'removed'): string =>
      pair.flatMap((change) => (change[kind] ? change.value : [])).join('')
    if (passages === MAX_PASSAGES) return { hunks, rest: 0, isTruncated: true }
    passages++
    if (!isOpen) {
      // Lines that are only removed were in the section before, if the next one begins there.
      const end = join('added') === '' ? offset - 1 : offset
      const section = sections.findLast(({ start }) => start <= end)
      hunks.push({
        skipped,
        section: section && { id: section.id, title: section.title },
        pieces: context === '' ? [] : [[{ kind: null, text: context }]],
      })
    }
    ;[isOpen, skipped, context] = [true, 0, '']
    for (const piece of compareWords(join('removed'), join('added'))) {
      const shown = fitRuns(piece, left)
      left -= measureRuns(piece)
      if (shown.length > 0) hunks.at(-1)!.pieces.push(shown)
      if (left < 0) return { hunks, rest: 0, isTruncated: true }
    }
    offset += join('added').length
  }
  return { hunks, rest: skipped, isTruncated: false }
}

/**
 * Cuts two beginnings of texts after the last line that both have, because they may end at
 * different places; not at all if they have no line in common.
 *
 * @example
 * alignEnds('a\nb\n', 'A\nb\nc\n') // ['a\nb\n', 'A\nb\n']
 */
export function alignEnds(before: string, after: string): readonly [before: string, after: string] {
  const [old, now] = [splitLines(before), splitLines(after)]
  const cut = (lines: readonly string[], others: readonly string[]): string => {
    const known = new Set(others.filter((line) => line.trim() !== ''))
    return lines.slice(0, lines.findLastIndex((line) => known.has(line)) + 1).join('')
  }
  const [first, second] = [cut(old, now), cut(now, old)]
  return first === '' || second === '' ? [before, after] : [first, second]
}

/** Returns lines that both texts have, or only one. */
function diffLines(
  before: string[],
  after: string[],
): readonly { readonly added: boolean; readonly removed: boolean; readonly value: readonly string[] }[] {
  const maxEditLength = Math.min(MAX_EDITS, Math.ceil(MAX_WORK / (before.length + after.length + 1)))
  const found = diffArrays(before, after, { maxEditLength })
  if (found !== undefined) return found
  const most = Math.min(before.length, after.length)
  let [start, end] = [0, 0]
  while (start < most && before[start] === after[start]) start++
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return [
    { added: false, removed: false, value: before.slice(0, start) },
    { added: false, removed: true, value: before.slice(start, before.length - end) },
    { added: true, removed: false, value: after.slice(start, after.length - end) },
    { added: false, removed: false, value: after.slice(after.length - end) },
  ].filter(({ value }) => value.length > 0)
}

/** Returns one piece with the words that changed, or the removed and added lines as a whole. */
function compareWords(removed: string, added: string): readonly (readonly WordRun[])[] {
  const whole: readonly (readonly WordRun[])[] = [
    ...(removed === '' ? [] : [[{ kind: 'removed', text: removed } as const]]),
    ...(added === '' ? [] : [[{ kind: 'added', text: added } as const]]),
  ]
  if (whole.length < 2 || removed.length + added.length > MAX_COMPARED) return whole
  const options = { maxEditLength: MAX_WORD_EDITS }
  const runs = diffArrays(splitWords(removed), splitWords(added), options)?.map((run): WordRun => {
    return { kind: run.added ? 'added' : run.removed ? 'removed' : null, text: run.value.join('') }
  })
  const common = runs?.reduce((sum, { kind, text }) => sum + (kind === null ? text.trim().length : 0), 0) ?? 0
  const isReadable = common >= LEAST_COMMON * Math.max(removed.trim().length, added.trim().length)
  return runs !== undefined && isReadable ? [runs] : whole
}

function measureRuns(runs: readonly WordRun[]): number {
  return runs.reduce((sum, { text }) => sum + text.length + RUN_MARKUP, 0)
}

/** Returns the first runs up to a length. */
function fitRuns(runs: readonly WordRun[], length: number): readonly WordRun[] {
  const fitting: WordRun[] = []
  let left = length
  for (const { kind, text } of runs) {
    if (left > RUN_MARKUP) fitting.push({ kind, text: cutEnd(text, left - RUN_MARKUP) })
    left -= text.length + RUN_MARKUP
  }
  return fitting
}

/** Cuts between characters, not within one. */
function cutEnd(text: string, length: number = MAX_CONTEXT): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function cutStart(text: string): string {
  return text.length <= MAX_CONTEXT ? text : `…${text.slice(-MAX_CONTEXT).replace(/^[\uDC00-\uDFFF]/, '')}`
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** A word, or one character of a script without spaces, of white space or of anything else. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}_])+|\s+|[^]/gu

function splitWords(text: string): string[] {
  return text.match(WORD) ?? []
}
