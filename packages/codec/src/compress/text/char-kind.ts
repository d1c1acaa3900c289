import { findAbove } from '../../binary-search.ts'
import { isMarkCodePoint, isWordCodePoint } from '../../decode/word-edge.ts'

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

/**
 * Whether the code point was assigned in Unicode 15.0. Decoders may classify other code points
 * differently, depending on the Unicode version of their runtime (SPEC.md §4.2).
 */
export function isAssignedInUnicode15(codePoint: number): boolean {
  return findAbove(runBounds, codePoint) % 2 === 1
}

/**
 * Runs of General_Category other than Cn in Unicode 15.0, ascending, as pairs in base 36: the
 * distance from the end of the previous run, and the length. Braces hold numbers of several digits.
 */
const RUNS: string =
  '0{oo}2647111k1{b1}1{12}2{1e}231{1j}8r46b{7i}1{1o}2{2t}e{1n}2{1d}2f1s211b5v126{6k}18222m17113429222481421' +
  '52p2316422m17121212211542233174117ha319131m1712152a131321f42c771318222m1712152922237342152ia216331432111' +
  '232333c4533142161el5d131n1g291314721321242a7m131n1a152913147262142a13cd131{1f}13164g2q131i3o191127314611' +
  '186a23c{1m}4t{11}211151o111n2511171a24w{20}1{10}4{13}1{10}1f1d{11}{5i}11512{ah}142711142{15}142x14271114' +
  '2f1{1l}142{1v}2w3q6{2e}262{il}3{2h}7m9o9kcd1312c{2m}2a6a6q6{2h}7{17}5{1y}av1c4c413{16}25b{18}4q6b3{1q}2{' +
  '1t}1t2b6a6e2v{1d}{25}3{1b}1{38}8{1o}3f3{1o}7{17}2b8{17}5{eu}262{12}26281111111v2{1h}1f1e261j23191{2t}1c2' +
  'r1d3xfxf{3w}4{if}pbl{1ec}2w1{9p}5{19}11512{1k}72eo97171717171717171{3i}yq1{2h}c{5y}qc4{1s}1{2e}2{2v}5{17' +
  '}1{2m}1{2c}c{1b}1{mlp}3{1j}9{9o}k{54}8{5n}521115o{1n}3a6{1k}8{1y}8c6{38}bu3{26}1b4x1{1j}9e2a2{2v}osa6262' +
  '697171{1o}4{3i}2a6{8mc}cn4{1d}4{6su}2{2y}{12}7c55q151112121{3h}g{cd}2{1i}71w{16}6{1f}1j14451{3r}211{5a}3' +
  '62626233717a52c1q1j121f2ey{3f}534{19}3{2g}1d31{1b}{1a}{3m}t3{1d}fs4{10}9u5{17}5u1{11}4e{16}{4e}2a6{10}4{' +
  '10}4{14}8{1g}bc1f17121b1f1712{1v}{8n}9ma8o61{16}19{1x}6211{18}12312n1{20}89{1c}j125x3r51{1s}{1k}4k2{1e}1' +
  '258131t234a797{1s}w{13}4c9{1i}3t2r5q74c7{28}{21}{1j}{1f}d{1f}7{1a}8a{86}v1{16}1322{23}{17}8{16}mq{12}skn' +
  '9{26}4{10}9{1w}a12p7a6{1h}1i8{13}9{2o}1kbi1{1b}{1q}711141f1b6{1n}5a6418222m1712151a22232161572735{3v}{2k' +
  '}15u{20}8a{4m}{1i}2{12}y{1x}ba6dj{1m}6a{1i}r2f4n{55}{1o}{2s}{2b}c82128121u122c9a{1y}82{1a}2br{20}8{2b}d{' +
  '21}7a{6u}91{19}1eat3w2m1e{21}7121{18}3112198a66121{11}12167a{8m}p7h1{15}3s{2e}1f{1e}d{pn}{2u}{33}15b{5g}' +
  '{218}{2r}d{uu}{33e}{g7}{6nt}{ft}7v1a4{29}1a6u26a{1y}aa171l5j{j4}{2j}{2t}{23}4{1l}7h{1s}5b2e{4qg}8{ye}{16' +
  '}9{6w7}417121{83}f1t321e48{b0}{1s4}{2z}5d397a28{3mk}{1a}2n9{38}{1o}{6u}a{13}2{5e}l{1y}{3e}kckc{2f}9p{3r}' +
  '{2d}1{1z}122122241c11171{1t}1428171s141511371{9g}2{84}2{ji}f51f{uo}v66{5x}71h2712155{1q}x1{34}{19}3e2a42' +
  '{8w}vh{1m}51{cw}{16}{km}714121f1{5h}2g{15}{24}4a42{lt}{1w}{24}{1p}{5e}41r1211211a14111161411111131211211' +
  '1111111121124171414111a1h53151h{1g}2{7i}{18}4{2s}cf2f1f1{11}a{4u}{1k}td{18}4972e6{4a}{rc}4h3d3{3b}4{2n}6' +
  'c41fc4{1k}8a6{14}8u22{26}{9g}ce2d397{1a}178e49797{43}1{1j}{11}a{sm}{wyo}w{37e}6{66}2{4g2}e{5rl}{2e7}{f2}' +
  '{15u}{3t7}5{38g}{f975}1u{2o}{3k}{6o}{1e6o}{1eke}2{1eke}'

// Starts (even indexes) and ends (odd indexes) of the runs.
const runBounds: Uint32Array = Uint32Array.from(RUNS.match(/\w|\{\w+/g)!, sum(0))

function sum(total: number): (step: string) => number {
  return (step) => (total += Number.parseInt(step.replace('{', ''), 36))
}
