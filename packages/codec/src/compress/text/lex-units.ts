import { countUtf8Bytes } from '../../tokens/utf8-buffer.ts'
import { findAbove } from '../../binary-search.ts'
import { isMarkCodePoint, isWordCodePoint } from '../../decode/word-edge.ts'

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

/** Classes of code points for the lexer, as bits. */
export const CharKind = {
  /** In W: part of a word run (SPEC.md, word characters). */
  word: 1,
  newline: 2,
  space: 4,
  /** No term may come right before: a mark, or unassigned in Unicode 15. */
  notAfterTerm: 8,
  /** No term may come right after this code point: unassigned in Unicode 15. */
  notBeforeTerm: 16,
} as const

/** Returns the kind of a code point, cached for the basic plane. */
export function kindOfChar(codePoint: number): number {
  if (codePoint > 0xffff) return computeKind(codePoint)
  const known = KINDS[codePoint]!
  if (known !== 0) return known - 1
  const kind = computeKind(codePoint)
  KINDS[codePoint] = kind + 1
  return kind
}

const KINDS = new Uint8Array(0x10000)

function computeKind(codePoint: number): number {
  if (codePoint === 10 || codePoint === 13) return CharKind.newline
  if (codePoint === 32) return CharKind.space
  if (!isAssignedInUnicode15(codePoint)) return CharKind.notAfterTerm | CharKind.notBeforeTerm
  return (
    (isWordCodePoint(codePoint) ? CharKind.word : 0) |
    (isMarkCodePoint(codePoint) ? CharKind.notAfterTerm : 0)
  )
}

/** The code point or lone surrogate that ends at `end`; 0 at the start of the text. */
export function codePointBefore(text: string, end: number): number {
  if (end <= 0) return 0
  const pair = end > 1 ? text.codePointAt(end - 2)! : 0
  return pair > 0xffff ? pair : text.charCodeAt(end - 1)
}

/** Decoders may classify code points that Unicode 15.0 lacks differently (SPEC.md §4.2). */
export function isAssignedInUnicode15(codePoint: number): boolean {
  return findAbove(runBounds, codePoint) % 2 === 1
}

/**
 * Runs of General_Category other than Cn in Unicode 15.0, ascending, as pairs in base 36: the
 * distance from the end of the previous run, and the length. Braces hold numbers of several digits.
 */
const RUNS: string =
  '0{oo}2647111k1{b1}1{12}2{1e}231{1j}8r46b{7i}1{1o}2{2t}e{1n}2{1d}2f1s211b5v126{6k}18222m1711342922248142152p2316422m17121212211542233174117ha319131m1712152a131321f42c771318222m1712152922237342152ia216331432111232333c4533142161el5d131n1g291314721321242a7m131n1a152913147262142a13cd131{1f}13164g2q131i3o191127314611186a23c{1m}4t{11}211151o111n2511171a24w{20}1{10}4{13}1{10}1f1d{11}{5i}11512{ah}142711142{15}142x142711142f1{1l}142{1v}2w3q6{2e}262{il}3{2h}7m9o9kcd1312c{2m}2a6a6q6{2h}7{17}5{1y}av1c4c413{16}25b{18}4q6b3{1q}2{1t}1t2b6a6e2v{1d}{25}3{1b}1{38}8{1o}3f3{1o}7{17}2b8{17}5{eu}262{12}26281111111v2{1h}1f1e261j23191{2t}1c2r1d3xfxf{3w}4{if}pbl{1ec}2w1{9p}5{19}11512{1k}72eo97171717171717171{3i}yq1{2h}c{5y}qc4{1s}1{2e}2{2v}5{17}1{2m}1{2c}c{1b}1{mlp}3{1j}9{9o}k{54}8{5n}521115o{1n}3a6{1k}8{1y}8c6{38}bu3{26}1b4x1{1j}9e2a2{2v}osa6262697171{1o}4{3i}2a6{8mc}cn4{1d}4{6su}2{2y}{12}7c55q151112121{3h}g{cd}2{1i}71w{16}6{1f}1j14451{3r}211{5a}362626233717a52c1q1j121f2ey{3f}534{19}3{2g}1d31{1b}{1a}{3m}t3{1d}fs4{10}9u5{17}5u1{11}4e{16}{4e}2a6{10}4{10}4{14}8{1g}bc1f17121b1f1712{1v}{8n}9ma8o61{16}19{1x}6211{18}12312n1{20}89{1c}j125x3r51{1s}{1k}4k2{1e}1258131t234a797{1s}w{13}4c9{1i}3t2r5q74c7{28}{21}{1j}{1f}d{1f}7{1a}8a{86}v1{16}1322{23}{17}8{16}mq{12}skn9{26}4{10}9{1w}a12p7a6{1h}1i8{13}9{2o}1kbi1{1b}{1q}711141f1b6{1n}5a6418222m1712151a22232161572735{3v}{2k}15u{20}8a{4m}{1i}2{12}y{1x}ba6dj{1m}6a{1i}r2f4n{55}{1o}{2s}{2b}c82128121u122c9a{1y}82{1a}2br{20}8{2b}d{21}7a{6u}91{19}1eat3w2m1e{21}7121{18}3112198a66121{11}12167a{8m}p7h1{15}3s{2e}1f{1e}d{pn}{2u}{33}15b{5g}{218}{2r}d{uu}{33e}{g7}{6nt}{ft}7v1a4{29}1a6u26a{1y}aa171l5j{j4}{2j}{2t}{23}4{1l}7h{1s}5b2e{4qg}8{ye}{16}9{6w7}417121{83}f1t321e48{b0}{1s4}{2z}5d397a28{3mk}{1a}2n9{38}{1o}{6u}a{13}2{5e}l{1y}{3e}kckc{2f}9p{3r}{2d}1{1z}122122241c11171{1t}1428171s141511371{9g}2{84}2{ji}f51f{uo}v66{5x}71h2712155{1q}x1{34}{19}3e2a42{8w}vh{1m}51{cw}{16}{km}714121f1{5h}2g{15}{24}4a42{lt}{1w}{24}{1p}{5e}41r1211211a141111614111111312112111111111121124171414111a1h53151h{1g}2{7i}{18}4{2s}cf2f1f1{11}a{4u}{1k}td{18}4972e6{4a}{rc}4h3d3{3b}4{2n}6c41fc4{1k}8a6{14}8u22{26}{9g}ce2d397{1a}178e49797{43}1{1j}{11}a{sm}{wyo}w{37e}6{66}2{4g2}e{5rl}{2e7}{f2}{15u}{3t7}5{38g}{f975}1u{2o}{3k}{6o}{1e6o}{1eke}2{1eke}'

// Starts (even indexes) and ends (odd indexes) of the runs.
const runBounds: Uint32Array = Uint32Array.from(RUNS.match(/\w|\{\w+/g)!, sum(0))

function sum(total: number): (step: string) => number {
  return (step) => (total += Number.parseInt(step.replace('{', ''), 36))
}
