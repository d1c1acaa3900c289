import { CharKind, kindOfChar } from './char-kind.ts'
import { countUtf8Bytes } from '../../tokens/utf8-buffer.ts'

/** Word runs, newlines (`\r\n` is one), long runs of one character, other characters. */
export interface Units {
  readonly text: string
  /** In UTF-8. The time for ordinary text is in proportion to them, so limits on work are too. */
  readonly bytes: number
  readonly count: number
  /** UTF-16 offset of the start of each unit, then the length of the text: `count + 1` values. */
  readonly starts: Int32Array
  /** Equal for equal units. A blocked unit has a unique id. */
  readonly ids: Int32Array
  readonly kinds: Uint8Array
  /** 1 if no entry may have the unit, {@link KEPT} if only phrases of the author may. */
  readonly blocked: Uint8Array
  readonly alphabet: number
}

const KEPT = 2
const CARRIAGE_RETURN = 13
/** Cuts inside longer runs of one character could only be estimated. */
const LONGEST_CUT = 64

/**
 * Cuts `text` into units.
 * @param blocked Ranges `[start, end)` of UTF-16 offsets that no candidate may touch: flat,
 *   ascending.
 * @param kept Such ranges that only the phrases of an author may touch.
 * @param newlines Whether candidates may contain newlines.
 * @param cuts Ascending offsets at which word runs are also cut; none if absent.
 */
export function lexUnits(
  text: string,
  blocked: Int32Array,
  newlines: boolean,
  cuts?: Uint32Array,
  kept: Int32Array = new Int32Array(0),
): Units {
  const starts = new Int32Array(text.length + 1)
  const kinds = new Uint8Array(text.length)
  let count = 0
  let cut = 0
  let runEnd = 0
  for (let at = 0; at < text.length; count++) {
    const code = text.codePointAt(at)!
    const kind = kindOfChar(code)
    starts[count] = at
    kinds[count] = kind
    at += code > 0xffff ? 2 : 1
    if (code === CARRIAGE_RETURN && text.charCodeAt(at) === 10) at++
    if ((kind & CharKind.word) === 0) {
      const start = starts[count]!
      if (start >= runEnd) runEnd = findRunEnd(text, start)
      if (runEnd - start > LONGEST_CUT && code !== CARRIAGE_RETURN) at = runEnd
      continue
    }
    let limit = text.length
    if (cuts) {
      while (cut < cuts.length && cuts[cut]! < at) cut++
      if (cut < cuts.length) limit = cuts[cut]!
    }
    while (at < limit) {
      const next = text.codePointAt(at)!
      if ((kindOfChar(next) & CharKind.word) === 0) break
      at += next > 0xffff ? 2 : 1
    }
  }
  starts[count] = text.length
  const ids = new Int32Array(count)
  const isBlocked = new Uint8Array(count)
  markRanges(isBlocked, starts, kept, KEPT)
  markRanges(isBlocked, starts, blocked, 1)
  if (!newlines)
    for (let unit = 0; unit < count; unit++) if (kinds[unit] === CharKind.newline) isBlocked[unit] = 1
  const alphabet = numberUnits(text, starts, count, isBlocked, ids)
  const units = {
    text,
    bytes: countUtf8Bytes(text),
    count,
    starts: starts.slice(0, count + 1),
    ids,
    kinds: kinds.slice(0, count),
    blocked: isBlocked,
    alphabet,
  }
  return units
}

function findRunEnd(text: string, start: number): number {
  const code = text.charCodeAt(start)
  let end = start + 1
  while (end < text.length && text.charCodeAt(end) === code) end++
  return end
}

function markRanges(marks: Uint8Array, starts: Int32Array, ranges: Int32Array, mark: number): void {
  for (let unit = 0, range = 0; unit < marks.length; unit++) {
    while (range < ranges.length && ranges[range + 1]! <= starts[unit]!) range += 2
    if (range < ranges.length && ranges[range]! < starts[unit + 1]!) marks[unit] = mark
  }
}

/** Gives equal units equal ids, with an open-addressing hash table of first occurrences. */
function numberUnits(
  text: string,
  starts: Int32Array,
  count: number,
  isBlocked: Uint8Array,
  ids: Int32Array,
): number {
  const size = 2 ** Math.max(4, Math.ceil(Math.log2(2 * count + 1)))
  const table = new Int32Array(size)
  let next = 0
  for (let unit = 0; unit < count; unit++) {
    const from = starts[unit]!
    const to = starts[unit + 1]!
    if (isBlocked[unit] !== 0) {
      ids[unit] = next++
      continue
    }
    let hash = 0x811c9dc5
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    let slot = (hash ^ (hash >>> 15)) & (size - 1)
    while (table[slot] !== 0 && !isSameUnit(text, starts, table[slot]! - 1, from, to))
      slot = (slot + 1) & (size - 1)
    if (table[slot] === 0) {
      table[slot] = unit + 1
      ids[unit] = next++
    } else ids[unit] = ids[table[slot]! - 1]!
  }
  return next
}

function isSameUnit(text: string, starts: Int32Array, unit: number, from: number, to: number): boolean {
  const other = starts[unit]!
  if (starts[unit + 1]! - other !== to - from) return false
  for (let at = 0; at < to - from; at++)
    if (text.charCodeAt(other + at) !== text.charCodeAt(from + at)) return false
  return true
}
