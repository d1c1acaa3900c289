import { findTextCuts, LineKind, type LinkPlace, scanLines, type TextCuts } from '@packs/codec/internal'

/** A part of a body, in UTF-16 offsets, with its tokens. */
export interface Part {
  readonly start: number
  readonly end: number
  readonly tokens: number
}

export interface TextCutter {
  /** Cuts a part of the body into parts of at most `max` tokens; joined, they are that part. */
  cut(this: void, start: number, end: number): readonly Part[]
  /** Where paragraphs start, and lines that are not blank, ascending. */
  readonly paragraphs: Uint32Array
  readonly textLines: Uint32Array
}

/** What limits the parts of a body. */
interface CutLimits {
  /** Most tokens of a part. Only a single code point can have more. */
  readonly max: number
  /** A last part with fewer tokens takes some from the part before it, if the limits allow it. */
  readonly min: number
  /** Counts the tokens of a part of the body. */
  readonly count: (start: number, end: number) => number
}

/**
 * Creates a function that cuts a body at the coarsest places that make parts small enough:
 * paragraphs, lines, sentences, words, code points. Only the last ones divide links. A blank line
 * in fenced code or HTML starts no paragraph.
 *
 * Each text is counted once for each of these levels, and about ten times while parts are joined,
 * so the time is in proportion to the length of the body.
 */
export function createTextCutter(body: string, limits: CutLimits, places: readonly LinkPlace[]): TextCutter {
  const { max, count } = limits
  const { starts: lines, kinds } = scanLines(body, { frontMatter: false })
  const textLines = lines.filter((_, line) => kinds[line] !== LineKind.blank)
  const paragraphs = lines.filter((_, line) => {
    return line > 0 && kinds[line - 1] === LineKind.blank && kinds[line] !== LineKind.blank
  })
  const links = listOutermost(places)
  const findCuts = (start: number, end: number): TextCuts => {
    const [from, to] = [start, end].map((at) => findFirst(links, (offset) => offset > at)) as [number, number]
    return findTextCuts(body, start, end, [...links.subarray(from - (from % 2), to + (to % 2))])
  }
  const levels: readonly ((start: number, end: number) => Iterable<number>)[] = [
    (start, end) => selectBetween(paragraphs, start, end),
    (start, end) => selectBetween(lines, start, end),
    (start, end) => skipSpaces(body, findCuts(start, end).sentences, end),
    (start, end) => skipSpaces(body, findCuts(start, end).words, end),
  ]

  const cutAt = (level: number, start: number, end: number): readonly Part[] => {
    const cuts = levels[level]
    if (cuts === undefined) return cutCodePoints(body, start, end, limits)
    const ends = [...cuts(start, end), end]
    if (ends.length === 1) return cutAt(level + 1, start, end)
    const parts = ends.flatMap((to, index) => {
      const from = ends[index - 1] ?? start
      const tokens = count(from, to)
      return tokens <= max ? [{ start: from, end: to, tokens }] : cutAt(level + 1, from, to)
    })
    return joinParts(parts, limits)
  }
  return { cut: (start, end) => cutAt(0, start, end), paragraphs, textLines }
}

/** Returns the starts and ends of links that are in no other link. */
function listOutermost(places: readonly LinkPlace[]): Uint32Array {
  const ends: number[] = []
  for (const { start, end } of places.toSorted((a, b) => a.start - b.start))
    if (start >= (ends.at(-1) ?? 0)) ends.push(start, end)
  return Uint32Array.from(ends)
}

/** Selects from ascending offsets those between two others. */
export function selectBetween(offsets: Uint32Array, start: number, end: number): Uint32Array {
  return offsets.subarray(
    findFirst(offsets, (offset) => offset > start),
    findFirst(offsets, (offset) => offset >= end),
  )
}

/** Finds the first offset that passes a test, which all later ones pass too; else the length. */
export function findFirst(offsets: Uint32Array, passes: (offset: number) => boolean): number {
  let [low, high] = [0, offsets.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (passes(offsets[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

/** Moves each cut behind the white space that follows it. */
function skipSpaces(body: string, cuts: readonly number[], end: number): readonly number[] {
  const moved = cuts.map((cut) => {
    let at = cut
    while (at < end && SPACE.test(body[at]!)) at++
    return at
  })
  return moved.filter((cut, index) => cut < end && cut !== moved[index - 1])
}

const SPACE = /\s/

/** Cuts where nothing else is left, never within a surrogate pair. */
function cutCodePoints(body: string, start: number, end: number, { max, count }: CutLimits): readonly Part[] {
  const parts: Part[] = []
  let guess = UNITS_PER_TOKEN * max
  for (let from = start; from < end; from = parts.at(-1)!.end) {
    const least = from + (body.codePointAt(from)! > 0xffff ? 2 : 1)
    const select = (length: number): number => {
      const to = Math.min(end, from + length)
      const isInPair = to < end && body.codePointAt(to - 1)! > 0xffff
      return Math.max(least, isInPair ? to - 1 : to)
    }
    let to = select(guess)
    let tokens = count(from, to)
    while (tokens > max && to > least) tokens = count(from, (to = select(Math.floor(0.75 * (to - from)))))
    parts.push({ start: from, end: to, tokens })
    guess = Math.ceil((4 / 3) * (to - from))
  }
  return parts
}

/** About what a token of English has. */
const UNITS_PER_TOKEN = 4

/** Neighbors among parts, from one index to before another, and the tokens of their text. */
interface Run {
  readonly from: number
  readonly to: number
  readonly tokens: number
}

/** Joins neighbors into parts of at most `max` tokens, as many as fit from the start on. */
function joinParts(parts: readonly Part[], limits: CutLimits): readonly Part[] {
  const measure = (from: number, to: number): Run => {
    const [first, last] = [parts[from]!, parts[to - 1]!]
    return { from, to, tokens: to - from === 1 ? first.tokens : limits.count(first.start, last.end) }
  }
  const runs: Run[] = []
  for (let from = 0; from < parts.length; from = runs.at(-1)!.to)
    runs.push(findLongest(parts, from, limits.max, measure))
  const [before, last] = runs.slice(-2)
  if (last !== undefined) runs.splice(-2, 2, ...balance(before!, last, limits, measure))
  return runs.map(({ from, to, tokens }) => ({ start: parts[from]!.start, end: parts[to - 1]!.end, tokens }))
}

/**
 * Steps from the sum of its parts' tokens, which is close, and then bisects. A run has fewer tokens
 * than that sum, but hardly a third.
 */
function findLongest(
  parts: readonly Part[],
  from: number,
  max: number,
  measure: (from: number, to: number) => Run,
): Run {
  let probe = from + 1
  let most = from
  for (let sum = 0; most < parts.length && (sum += parts[most]!.tokens) <= 3 * max; most++)
    if (sum <= max) probe = most + 1
  let longest: Run = { from, to: from + 1, tokens: parts[from]!.tokens }
  for (let [high, step] = [most + 1, 1]; high - longest.to > 1; step *= 2) {
    const run = measure(from, probe)
    if (run.tokens <= max) longest = run
    else high = probe
    probe = high > most ? Math.min(most, longest.to + step) : (longest.to + high) >> 1
  }
  return longest
}

/** Lengthens the last of two runs at the expense of the other if it has fewer than `min` tokens. */
function balance(
  before: Run,
  last: Run,
  { max, min }: CutLimits,
  measure: (from: number, to: number) => Run,
): readonly Run[] {
  if (last.tokens >= min) return [before, last]
  let [low, high] = [before.from, last.from]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (measure(middle, last.to).tokens >= min) low = middle
    else high = middle
  }
  if (low === before.from) return [before, last]
  const balanced = [measure(before.from, low), measure(low, last.to)]
  return balanced.every(({ tokens }) => tokens >= min && tokens <= max) ? balanced : [before, last]
}
