import type { InlineBlock } from '../markdown/inlines/inline-blocks.ts'
import { readInlines } from '../markdown/read-inlines.ts'
import { joinRegions } from '../markdown/regions/mdx-regions.ts'
import type { Region } from '../markdown/regions/verbatim-regions.ts'

/** Ascending offsets. Every end of a sentence is also the end of a word. */
export interface TextCuts {
  readonly sentences: number[]
  readonly words: number[]
}

/** Scripts that put no white space between words. */
const UNSPACED =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Thai}]/u
/** Characters beside a cut in unspaced text; U+0E33 is half of a Thai cluster. */
const BEHIND = /[\p{L}\p{M}\p{N}\p{Pe}\p{Pf}、。，．：；！？]/u
const BEFORE = /(?!\u0E33)[\p{L}\p{N}]/u
const WIDE_STOP = /[。！？．｡]/
const STOP = /[.!?…]/
const CLOSER = /["'”’»)\]}*_~`」』）】》〉〕]/
const ABBREVIATION =
  /(?:^|[\s([{"'“‘])(?:\p{L}|\p{L}+\.[\p{L}.]*|mr|mrs|ms|dr|prof|vs|fig|figs|eq|cf|approx)$/iu

/**
 * Finds ends of words and sentences of one paragraph or heading: `body` from `start` to `end`.
 * @param atoms ranges that are never cut, as ascending pairs of start and end: links, code, images,
 *   HTML, emphasis
 */
export function findTextCuts(body: string, start: number, end: number, atoms: readonly number[]): TextCuts {
  const cuts: TextCuts = { sentences: [], words: [] }
  let atom = 0
  // A line may begin with quote markers, and a cut must not be before the text that follows them.
  let hasText = true
  for (let at = start + 1; at < end; at++) {
    const before = body[at - 1]!
    const unit = body[at]!
    if (before === '\n' || before === '\r') hasText = false
    else if (before !== '>' && !WHITE_SPACE.test(before)) hasText = true
    while (atom < atoms.length && atoms[atom + 1]! <= at) atom += 2
    if (!hasText || (atom < atoms.length && atoms[atom]! < at)) continue
    if (WHITE_SPACE.test(unit)) {
      if (WHITE_SPACE.test(before)) continue
      cuts.words.push(at)
      if (isSentenceEnd(body, start, at, end)) cuts.sentences.push(at)
    } else if (unit > '\u0DFF' || before > '\u0DFF') addUnspacedCut(cuts, body, start, at)
  }
  return cuts
}

function addUnspacedCut(cuts: TextCuts, body: string, start: number, at: number): void {
  const next = String.fromCodePoint(body.codePointAt(at)!)
  const previous = readCodePointBefore(body, at)
  if (previous === '' || !(UNSPACED.test(next) || UNSPACED.test(previous) || WIDE_STOP.test(previous))) return
  const closers = skipClosers(body, start, at)
  if (WIDE_STOP.test(body[closers - 1] ?? '') && !CLOSER.test(next) && !WIDE_STOP.test(next)) {
    cuts.sentences.push(at)
    cuts.words.push(at)
  } else if (BEHIND.test(previous) && BEFORE.test(next)) cuts.words.push(at)
}

/** The code point that ends at `at`; empty if `at` is inside one. */
function readCodePointBefore(body: string, at: number): string {
  const unit = body.charCodeAt(at - 1)
  if (unit < 0xd800 || unit > 0xdfff) return body[at - 1]!
  return unit >= 0xdc00 && at > 1 ? body.slice(at - 2, at) : ''
}

function isSentenceEnd(body: string, start: number, at: number, end: number): boolean {
  const stop = skipClosers(body, start, at)
  const mark = body[stop - 1] ?? ''
  if (WIDE_STOP.test(mark)) return true
  if (stop <= start || !STOP.test(mark)) return false
  let next = at
  while (next < end && (WHITE_SPACE.test(body[next]!) || body[next] === '>')) next++
  if (/\p{Ll}/u.test(String.fromCodePoint(body.codePointAt(next) ?? 0x20))) return false
  return mark !== '.' || !ABBREVIATION.test(body.slice(Math.max(start, stop - 24), stop - 1))
}

function skipClosers(body: string, start: number, at: number): number {
  let stop = at
  while (stop > start && at - stop < 8 && CLOSER.test(body[stop - 1]!)) stop--
  return stop
}

const WHITE_SPACE = /\s/

/** Longest text in square brackets without an address that is kept whole, in UTF-16 units. */
const LONGEST_LABEL = 1_000
/** Longest emphasis that is kept whole, in UTF-16 units. */
const LONGEST_EMPHASIS = 300
/** Escapes, and what may begin, end or be an atom beside the inlines of CommonMark. */
const MARK = /\\[^]?|[[\]]|\*+|_+|~+|<[a-z/][^<>]*>|(?:https?:\/\/|www\.)[^\s<]+/gi
const NO_LABELS: ReadonlySet<string> = new Set()

/**
 * Finds the atoms of a block, ranges that are never cut: its inlines, everything else between
 * square brackets, short emphasis, bare URLs, tags of other languages. May find more than a
 * markdown parser would. Never quadratic: each mark is read once.
 * @returns ascending, disjoint pairs of start and end
 */
export function findAtoms(text: string, { parts }: InlineBlock): number[] {
  const from = parts[0]!.start
  const content = text.slice(from, parts.at(-1)!.end)
  const inlines = readInlines(text, parts, NO_LABELS)
  const atoms: Region[] = [...inlines]
  const brackets: number[] = []
  const emphasis = new Map<string, number>()
  let next = 0
  let insideUntil = 0
  MARK.lastIndex = 0
  for (let found = MARK.exec(content); found !== null; found = MARK.exec(content)) {
    const [mark] = found
    const start = from + found.index
    const end = start + mark.length
    for (; next < inlines.length && inlines[next]!.start <= start; next++)
      insideUntil = Math.max(insideUntil, inlines[next]!.end)
    if (start < insideUntil) MARK.lastIndex = insideUntil - from
    else if (mark === '[') brackets.push(start)
    else if (mark === ']') {
      const open = brackets.pop()
      if (open !== undefined && start - open <= LONGEST_LABEL) atoms.push({ start: open, end })
    } else if (/^[*_~]/.test(mark)) addEmphasis(atoms, emphasis, text, start, end)
    else if (mark[0] !== '\\') {
      atoms.push({ start, end })
      // An address may have marks in it.
      if (mark[0] !== '<') MARK.lastIndex = found.index + 4
    }
  }
  return joinRegions(atoms).flatMap(({ start, end }) => [start, end])
}

/** Pairs a run of marks with the last open one, if the characters beside it allow it. */
function addEmphasis(
  atoms: Region[],
  open: Map<string, number>,
  text: string,
  start: number,
  end: number,
): void {
  const before = text[start - 1] ?? ' '
  const after = text[end] ?? ' '
  const run = text.slice(start, Math.min(end, start + 4))
  const isWordInside = run.startsWith('_') && LETTER.test(before) && LETTER.test(after)
  if (isWordInside) return
  const opened = open.get(run)
  if (opened !== undefined && !WHITE_SPACE.test(before)) {
    open.delete(run)
    if (end - opened <= LONGEST_EMPHASIS) atoms.push({ start: opened, end })
  } else if (!WHITE_SPACE.test(after)) open.set(run, start)
}

const LETTER = /[\p{L}\p{N}]/u
