import { CharKind, type Units } from '../text/lex-units.ts'
import type { BoundaryCosts } from '../cost/piece-counter.ts'
import type { KeptParts } from './kept-parts.ts'
import type { HeaderCosts } from '../cost/header-costs.ts'

/** Net tokens that an entry must save; {@link REJECTED} if the scheme forbids it. */
export type FloorOf = (begin: number, end: number) => number

export const REJECTED: number = Infinity

/** What the rules T15 to T17 need of a text. */
export interface FormCosts {
  readonly kept: KeptParts
  readonly escapes: Int32Array
  readonly boundaries: BoundaryCosts
  readonly countCached: (text: string) => number
}

/**
 * Forbids candidates that are numbers or punctuation (SPEC.md section 8.6, T7) and, with `costs`,
 * those of two sentences, of two tokens or fewer, or with an escape (T15 to T17).
 */
export function createFormRule(units: Units, costs?: FormCosts): FloorOf {
  const { text, starts, kinds } = units
  const isPlain: FloorOf = (begin, end) =>
    isNumber(units, begin, end) || isPunctuation(units, begin, end) ? REJECTED : 1
  if (costs === undefined) return isPlain
  const { kept, escapes, boundaries, countCached } = costs
  return (begin, end) => {
    if (escapes[begin] !== escapes[end]) return REJECTED
    if (kept.sentences[end - 1]! > kept.sentences[begin]! && kinds[begin] !== CharKind.space) return REJECTED
    // What saves more tokens than this has more than two of them.
    const isLong = boundaries.ends[end]! - boundaries.begins[begin]! > 2 || starts[end]! - starts[begin]! > 32
    if (!isLong && countCached(text.slice(starts[begin], starts[end])) <= 2) return REJECTED
    return isPlain(begin, end)
  }
}

/** Punctuation with a quote or semicolon, which readers take for that of the header. */
export function isPunctuation({ text, starts }: Units, begin: number, end: number): boolean {
  let hasQuote = false
  for (let at = starts[begin]!; at < starts[end]!; at++) {
    const character = text[at]!
    if (QUOTES.has(character)) hasQuote = true
    else if (!MARKS.has(character)) return false
  }
  return hasQuote
}

const QUOTES = new Set(';；\'"‘’“”„‚«»‹›´')
const MARKS = new Set(' ,:.!?…、。，：！？')

/** Whether units `begin` up to `end` contain a digit but no letter. */
export function isNumber({ text, starts }: Units, begin: number, end: number): boolean {
  let hasDigit = false
  for (let at = starts[begin]!; at < starts[end]!; at++) {
    const code = text.charCodeAt(at)
    if (isLetter(code)) return false
    if (isDigit(code)) hasDigit = true
  }
  return hasDigit
}

/** ASCII letters, and all above U+00BF: other scripts have few phrases of digits and symbols. */
function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code > 0xbf
}

/** Whether `at` is between two digits that touch, or have one of `. , : - /` between them. */
function isInNumber(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  if (isDigit(before)) return isDigit(after) || (isJoint(after) && isDigit(text.charCodeAt(at + 1)))
  return isDigit(after) && isJoint(before) && isDigit(text.charCodeAt(at - 2))
}

function isJoint(code: number): boolean {
  return code === 46 || code === 44 || code === 58 || code === 45 || code === 47
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/**
 * Forbids terms next to a code point that decoders may classify differently, or before a mark, and
 * uses that split a number (SPEC.md section 8.6, T7) and, if `kept` is given, what is to stay whole
 * (T14 and T15).
 */
export function createOccurrenceRule(
  { text, starts, kinds, count }: Units,
  kept?: KeptParts,
): OccurrenceRule {
  const borders = new Uint8Array(count + 1)
  for (let boundary = 0; boundary <= count; boundary++) {
    const before = boundary > 0 ? kinds[boundary - 1]! : 0
    const after = boundary < count ? kinds[boundary]! : 0
    if (isInNumber(text, starts[boundary]!) || (kept !== undefined && kept.inside[boundary]! < 0)) continue
    if ((before & CharKind.notBeforeTerm) === 0) borders[boundary]! |= BEGIN
    if ((after & CharKind.notAfterTerm) === 0) borders[boundary]! |= END
  }
  const isWhole: OccurrenceRule = (begin, end) =>
    (borders[begin]! & BEGIN) !== 0 && (borders[end]! & END) !== 0
  if (kept === undefined) return isWhole
  const { inside, sentences, gaps } = kept
  return (begin, end) =>
    isWhole(begin, end) &&
    inside[begin] === inside[end] &&
    sentences[end - 1]! - sentences[begin]! <= gaps[begin]!
}

export type OccurrenceRule = (begin: number, end: number) => boolean

const BEGIN = 1
const END = 2

/**
 * Finds dominated candidates, which no selection needs: a part of such a candidate saves as much at
 * each of its positions, even next to other occurrences, and costs no more in the header. Holds
 * only if occurrences may touch. The candidate has `size` units, occurs at `positions[first]` to
 * `positions[last]`, and costs `header`.
 */
export interface DominanceRule {
  /** Whether the first `prefix` units dominate the candidate. */
  readonly hasDominatingPrefix: (
    positions: Int32Array,
    first: number,
    last: number,
    size: number,
    prefix: number,
    header: number,
  ) => boolean
  /** Whether the candidate without its first unit dominates it. */
  readonly hasDominatingSuffix: (
    positions: Int32Array,
    first: number,
    last: number,
    size: number,
    header: number,
  ) => boolean
}

export function createDominanceRule(
  { kinds }: Units,
  { begins, ends, adjacencyGain }: BoundaryCosts,
  headerCosts: HeaderCosts,
  allows: OccurrenceRule,
  floorOf: FloorOf,
): DominanceRule {
  const isCandidate = (begin: number, end: number, header: number): boolean =>
    floorOf(begin, end) !== REJECTED && headerCosts.count(begin, end) <= header
  return {
    hasDominatingPrefix(positions, first, last, size, prefix, header) {
      if (prefix === 0) return false
      for (let rank = first; rank <= last; rank++) {
        const begin = positions[rank]!
        const end = begin + size
        if (ends[begin + prefix]! < ends[end]! + Math.max(0, adjacencyGain[end]!)) return false
        if (!allows(begin, begin + prefix)) return false
      }
      return isCandidate(positions[first]!, positions[first]! + prefix, header)
    },
    hasDominatingSuffix(positions, first, last, size, header) {
      // Only some letters cost nothing extra after a space that stays, so a leading space may well pay.
      if (size === 1 || kinds[positions[first]!] === CharKind.space) return false
      for (let rank = first; rank <= last; rank++) {
        const begin = positions[rank]!
        if (begins[begin + 1]! + Math.max(0, adjacencyGain[begin]!) > begins[begin]!) return false
        if (!allows(begin + 1, begin + size)) return false
      }
      return isCandidate(positions[first]! + 1, positions[first]! + size, header)
    },
  }
}
