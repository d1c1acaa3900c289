import { findAbove, findFirst } from '../binary-search.ts'
import { decode } from '../decode/decode.ts'
import type { Tokenizer } from '../tokens/get-tokenizer.ts'
import { findCuts } from './find-cuts.ts'
import { mapUses, type UseMap } from '../decode/map-uses.ts'

/** Where a preview ends; `none` if it is empty. */
export type PreviewKind = 'block' | 'item' | 'sentence' | 'word' | 'none'

export interface PreviewInput {
  readonly content: string
  readonly rosetta: string
  /** What the content decodes to. */
  readonly body: string
  readonly tokenizer: Tokenizer
}

export interface Preview {
  readonly content: string
  readonly tokens: number
  readonly kind: PreviewKind
}

/** Cuts of one kind whose text is compared. Only a hostile header needs a second one. */
const MAX_TRIES = 8
/** Longest pre-token, in UTF-16 units, that a cut may divide. */
const MAX_CUT_PIECE = 2_048

/** Most tokens of a preview that is longer than a fifth of its content. */
const MAX_OPENING = 40

/** Returns the most tokens of a preview of a content with `total` tokens (SPEC.md 9.1). */
export function limitPreview(total: number, format: 'packs/1' | 'packs/2' = 'packs/2'): number {
  const most = Math.max(Math.floor(total / 5), MAX_OPENING)
  return format === 'packs/1' ? most : Math.min(most, Math.floor(total / 2))
}

/** Whether the text before a cut announces what follows: a heading, or a colon. */
export function announcesMore(text: string, end: number): boolean {
  return findCuts(text, end).announces(end)
}

/**
 * Cuts the preview of a pack: a prefix of the content with at most a fifth of its tokens that
 * decodes to a prefix of the body, but at least its first sentence if that is short (SPEC.md §9).
 * The first kind of cut that uses three fifths of the allowed tokens is chosen, otherwise the
 * longest preview of any kind. It never ends on a heading, or a line that announces a list.
 */
export function cutPreview({ content, rosetta, body, tokenizer }: PreviewInput): Preview {
  const counts = countPrefixes(content, tokenizer)
  const allowance = Math.floor(counts.total / 5)
  const limit = limitPreview(counts.total)
  const uses = mapUses(content, rosetta, counts.findLimit(limit))
  const { firstText, announces, ...cuts } = findCuts(body, uses.bodyEnd)
  const last = body.trimEnd().length
  const choose = (kind: (typeof KINDS)[number], offsets: readonly number[], most: number): Choice => {
    const isExact = (end: number): boolean => {
      const shown = decode(content.slice(0, end), rosetta)
      return body.startsWith(shown) && tokenizer.countTokens(content.slice(0, end)) <= most
    }
    const legal = offsets.filter((at) => !announces(at))
    return chooseLongest(kind, positionCuts(legal, body, last, uses, counts), counts, most, isExact)
  }
  const chooseAny = (most: number, enough: number): Choice => {
    let longest = NO_CHOICE
    for (const kind of KINDS) {
      const choice = choose(kind, cuts[kind], most)
      const isEnough = choice.tokens >= enough
      if (isEnough || choice.end > longest.end) longest = choice
      if (isEnough) break
    }
    return longest
  }
  const regular = allowance === 0 ? NO_CHOICE : chooseAny(allowance, (3 * allowance) / 5)
  const first = cuts.sentence
    .filter((at) => at > firstText && !announces(at))
    .slice(0, MAX_TRIES)
    .map((at) => choose('sentence', [at], limit))
    .find(({ end }) => end > 0)
  const opening = first ?? chooseAny(Math.min(MAX_OPENING, limit), Infinity)
  const { end, tokens, kind } = opening.end > regular.end ? opening : regular
  return { content: content.slice(0, end), tokens, kind }
}

const KINDS = ['block', 'item', 'sentence', 'word'] as const

interface Choice {
  readonly end: number
  readonly tokens: number
  readonly kind: PreviewKind
}

const NO_CHOICE: Choice = { end: 0, tokens: 0, kind: 'none' }

/**
 * Converts cuts to content offsets. If an expansion spans a cut, the end of the expansion is used,
 * provided that only white space is in between. Cuts after which nothing is visible are omitted.
 */
function positionCuts(
  cuts: readonly number[],
  body: string,
  last: number,
  uses: UseMap,
  counts: PrefixCounts,
): number[] {
  const ends: number[] = []
  for (const cut of cuts) {
    if (cut > uses.bodyEnd) break
    const at = uses.skipExpansion(cut)
    if (body.slice(cut, at).trim() !== '' || !isBetweenCharacters(body, at)) continue
    const end = uses.toContent(at)
    if (end === undefined || end <= (ends.at(-1) ?? 0) || at >= last) continue
    if (counts.measureCut(end) <= MAX_CUT_PIECE) ends.push(end)
  }
  return ends
}

const JOINED_BEHIND = /[\u200D\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u0D4E]/
const JOINED_BEFORE = /[\p{M}\u200C\u200D\p{Emoji_Modifier}]/u

function isBetweenCharacters(body: string, at: number): boolean {
  const before = body[at - 1] ?? ''
  if (before === '\r' && body[at] === '\n') return false
  const next = String.fromCodePoint(body.codePointAt(at) ?? 0)
  if (/[\uD800-\uDBFF]/.test(before) && /[\uDC00-\uDFFF]/.test(next)) return false
  return !JOINED_BEHIND.test(before) && !JOINED_BEFORE.test(next)
}

function chooseLongest(
  kind: PreviewKind,
  ends: readonly number[],
  counts: PrefixCounts,
  allowance: number,
  isExact: (end: number) => boolean,
): Choice {
  const tooLong = findFirst(ends.length, (index) => counts.atLeast(ends[index]!) > allowance)
  let tries = MAX_TRIES
  for (let index = tooLong - 1; index >= 0 && tries > 0; index--) {
    const end = ends[index]!
    const tokens = counts.count(end)
    if (tokens > allowance) continue
    if (isExact(end)) return { end, tokens, kind }
    tries--
  }
  return { end: 0, tokens: 0, kind }
}

interface PrefixCounts {
  readonly total: number
  count(end: number): number
  /** A lower bound of the tokens of a prefix; rises with `end` and costs a binary search. */
  atLeast(end: number): number
  /** UTF-16 units of the pre-token that `end` cuts; 0 between two pre-tokens. */
  measureCut(end: number): number
  /** An offset that no prefix of at most `tokens` tokens exceeds. */
  findLimit(tokens: number): number
}

/** Splits a text once: a cut changes only the pre-tokens next to it, with their lookahead. */
export function countPrefixes(text: string, tokenizer: Tokenizer): PrefixCounts {
  const { ends, counts } = tokenizer.splitPieces(text)
  const size = ends.length
  const sums = new Uint32Array(size + 1)
  for (let piece = 0; piece < size; piece++) sums[piece + 1] = sums[piece]! + counts[piece]!

  const findSafe = (end: number): number => {
    let edge = end
    while (edge > 0 && WHITE_SPACE.test(text[edge - 1]!)) edge--
    return Math.max(0, findAbove(ends, edge) - 2)
  }
  return {
    total: sums[size]!,
    count(end) {
      const safe = findSafe(end)
      return sums[safe]! + tokenizer.countTokens(text.slice(safe === 0 ? 0 : ends[safe - 1]!, end))
    },
    atLeast: (end) => sums[findSafe(end)]!,
    measureCut(end) {
      const pieces = findAbove(ends, end)
      const start = pieces === 0 ? 0 : ends[pieces - 1]!
      return start === end || pieces === size ? 0 : ends[pieces]! - start
    },
    findLimit(tokens) {
      let piece = 0
      while (piece < size && sums[piece]! <= tokens) piece++
      return size === 0 ? 0 : ends[Math.min(piece + 3, size - 1)]!
    },
  }
}

const WHITE_SPACE = /\s/
