import { decode } from '@packs/codec'
import { type TokenizerName, loadTokenizer } from '@packs/codec/compress'
import { findTextCuts, splitSections, LineKind, scanLines } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import type { Section } from '@packs/codec/sections'
import { createError, rethrow } from './client-error.ts'

/** A part of a pack, to compute an embedding of. */
export interface Chunk {
  /** Slug of the pack. */
  readonly pack: string
  readonly version: string
  readonly pack_digest: string
  /** Ids of the sections that the text is from, in order; not those of the overlap. */
  readonly sections: readonly string[]
  /** Titles of the headings that all these sections have above them, or are. */
  readonly path: readonly string[]
  /** Offsets in the decoded body, in UTF-16 units. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** Tokens of the text. */
  readonly tokens: number
}

/** Settings of {@link chunks}. */
export interface ChunkOptions {
  /** Most tokens of a chunk, with its overlap. @default 400 */
  readonly max?: number | undefined
  /** Chunks with fewer tokens are joined with a neighbor. @default 80, at most a fifth of `max` */
  readonly min?: number | undefined
  /** Most tokens of the chunk before that a chunk begins with, at most half of `max`. @default 0 */
  readonly overlap?: number | undefined
  /** @default the tokenizer of the pack */
  readonly tokenizer?: TokenizerName | undefined
}

/**
 * Cuts a whole pack into chunks for embeddings: its sections. A section with fewer than `min`
 * tokens is joined with a neighbor, under the same heading if possible, and one with more than
 * `max` is cut at paragraphs; where that is not enough, at lines, sentences, words and code points.
 *
 * Without overlap the texts joined in order are the decoded body, byte for byte. An overlap begins
 * at a paragraph or else at a line of the chunk before; a chunk has none if both are too long. The
 * same pack and options always give the same chunks. Only a single code point can have more tokens
 * than `max`.
 *
 * @throws ClientError `invalid_option`, `unknown_tokenizer`, or a code of the codec
 * @example
 * const pack = await client.packs.get('tls-certificates')
 * if (!pack.preview) for (const { path, text } of await chunks(pack)) await embed(path, text)
 */
export async function chunks(pack: Pack, options: ChunkOptions = {}): Promise<readonly Chunk[]> {
  const { max, min, overlap } = readOptions(options)
  try {
    const tokenizer = await loadTokenizer(options.tokenizer ?? pack.tokenizer)
    const body = decode(pack.content, pack.rosetta)
    const count = (start: number, end: number): number => tokenizer.countTokens(body.slice(start, end))
    const limits = { max: max - overlap, min, count }
    const cutter = createTextCutter(body, limits)
    const sections = splitSections(body)
    const parts = joinSmall(cutSections(sections, cutter, limits), limits)
    const { slug, version, pack_digest } = pack
    let first = 0
    return parts.map((part, index) => {
      while (sections[first]!.end <= part.start) first++
      const start = findOverlap(part, parts[index - 1], cutter, { max, overlap, count })
      return {
        pack: slug,
        version,
        pack_digest,
        ...describeSections(sections, first, part.end),
        start,
        end: part.end,
        text: body.slice(start, part.end),
        tokens: start === part.start ? part.tokens : count(start, part.end),
      }
    })
  } catch (error) {
    rethrow(error)
  }
}

interface Limits extends Readonly<Record<'max' | 'min' | 'overlap', number>> {
  readonly count: (start: number, end: number) => number
}

/** @throws ClientError `invalid_option` */
function readOptions(options: ChunkOptions): Omit<Limits, 'count'> {
  const { max = 400, overlap = 0 } = options
  checkOption('max', max, 1, Number.MAX_SAFE_INTEGER)
  const { min = Math.min(80, Math.floor(max / 5)) } = options
  checkOption('min', min, 0, max)
  checkOption('overlap', overlap, 0, Math.floor(max / 2))
  return { max, min, overlap }
}

function checkOption(name: keyof ChunkOptions, value: unknown, least: number, most: number): void {
  if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return
  const limit = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`
  throw createError('invalid_option', `${name} must be a whole number, ${limit}`)
}

/** A part of a body, before it is joined with others. */
interface Unit extends Part {
  /** Headings above both it and the unit before it; {@link CUT} if both are of one section. */
  readonly depth: number
}

/** More than the levels of headings. */
const CUT = 6

/** Makes a unit of each section; cuts those with more than `max` tokens. */
function cutSections(
  sections: readonly Section[],
  { cut }: TextCutter,
  { max, min, count }: Omit<Limits, 'overlap'>,
): readonly Unit[] {
  const units: Unit[] = []
  /** Sections at the end of `units` that are small, each below the one before it. */
  let above: Section[] = []
  for (const section of sections) {
    const { start, end, path } = section
    if (path.length <= (above.at(-1)?.path.length ?? 0)) above = []
    const tokens = count(start, end)
    if (tokens <= max) {
      units.push({ start, end, tokens, depth: getDepth(section) })
      above = tokens < min ? [...above, section] : []
      continue
    }
    // A heading alone belongs to what follows it.
    const [top = section] = above
    units.splice(units.length - above.length)
    for (const part of cut(top.start, end))
      units.push({ ...part, depth: part.start === top.start ? getDepth(top) : CUT })
    above = []
  }
  return units
}

function getDepth({ path }: Section): number {
  return Math.max(0, path.length - 1)
}

/**
 * Joins units with fewer than `min` tokens with a neighbor: first the parts of one section, then
 * the sections under the deepest headings, and so on. The sum of tokens decides, because it is
 * known; a text that has more tokens than its parts is divided again.
 */
function joinSmall(units: readonly Unit[], { max, min, count }: Omit<Limits, 'overlap'>): readonly Part[] {
  /** Of a group, which consists of neighbors: the tokens and the last unit, by the first one. */
  const sums = units.map(({ tokens }) => tokens)
  const lasts = units.map((_, index) => index)
  /** The first unit of a group, by the last one. */
  const firsts = lasts.slice()
  for (let depth = CUT; depth >= 0; depth--) {
    for (let right = 1; right < units.length; right++) {
      if (units[right]!.depth !== depth) continue
      const left = firsts[right - 1]!
      const sum = sums[left]! + sums[right]!
      if (Math.min(sums[left]!, sums[right]!) >= min || sum > max) continue
      sums[left] = sum
      lasts[left] = lasts[right]!
      firsts[lasts[right]!] = left
    }
  }

  const divide = (first: number, last: number): readonly Part[] => {
    if (first === last) return [units[first]!]
    const [{ start }, { end }] = [units[first]!, units[last]!]
    const tokens = count(start, end)
    if (tokens <= max) return [{ start, end, tokens }]
    const middle = (first + last) >> 1
    return [...divide(first, middle), ...divide(middle + 1, last)]
  }
  const parts: Part[] = []
  for (let first = 0; first < units.length; first = lasts[first]! + 1)
    for (const part of divide(first, lasts[first]!)) parts.push(part)
  return parts
}

/**
 * Finds where a chunk begins: at the first paragraph, or else at the first line, of the part before
 * it from which on at most `overlap` tokens precede its own.
 */
function findOverlap(
  { start, end }: Part,
  before: Part | undefined,
  { paragraphs, textLines }: TextCutter,
  { max, overlap, count }: Omit<Limits, 'min'>,
): number {
  if (before === undefined || overlap === 0) return start
  for (const offsets of [paragraphs, textLines]) {
    const inside = selectBetween(offsets, before.start, start)
    const fits = (from: number): boolean => count(from, start) <= overlap && count(from, end) <= max
    const found = inside[findFirst(inside, fits)]
    if (found !== undefined && fits(found)) return found
  }
  return start
}

/** Describes the sections of a part, from one on. */
function describeSections(
  sections: readonly Section[],
  first: number,
  end: number,
): Pick<Chunk, 'sections' | 'path'> {
  const { id, path } = sections[first]!
  const ids = [id]
  let common = path.length
  for (let next = first + 1; next < sections.length && sections[next]!.start < end; next++) {
    ids.push(sections[next]!.id)
    common = Math.min(common, getDepth(sections[next]!))
  }
  return { sections: ids, path: path.slice(0, common) }
}

/** A part of a body, in UTF-16 offsets, with its tokens. */
export interface Part {
  readonly start: number
  readonly end: number
  readonly tokens: number
}

interface TextCutter {
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
 * paragraphs, lines, sentences, words, code points. A blank line in fenced code or HTML starts no
 * paragraph.
 *
 * Each text is counted once for each of these levels, and about ten times while parts are joined,
 * so the time is in proportion to the length of the body.
 */
function createTextCutter(body: string, limits: CutLimits): TextCutter {
  const { max, count } = limits
  const { starts: lines, kinds } = scanLines(body, { frontMatter: false })
  const textLines = lines.filter((_, line) => kinds[line] !== LineKind.blank)
  const paragraphs = lines.filter((_, line) => {
    return line > 0 && kinds[line - 1] === LineKind.blank && kinds[line] !== LineKind.blank
  })
  const levels: readonly ((start: number, end: number) => Iterable<number>)[] = [
    (start, end) => selectBetween(paragraphs, start, end),
    (start, end) => selectBetween(lines, start, end),
    (start, end) => skipSpaces(body, findTextCuts(body, start, end, []).sentences, end),
    (start, end) => skipSpaces(body, findTextCuts(body, start, end, []).words, end),
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

/** Selects from ascending offsets those between two others. */
function selectBetween(offsets: Uint32Array, start: number, end: number): Uint32Array {
  return offsets.subarray(
    findFirst(offsets, (offset) => offset > start),
    findFirst(offsets, (offset) => offset >= end),
  )
}

/** Finds the first offset that passes a test, which all later ones pass too; else the length. */
function findFirst(offsets: Uint32Array, passes: (offset: number) => boolean): number {
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
      return Math.max(least, to < end && isInsidePair(body, to) ? to - 1 : to)
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

function isInsidePair(body: string, at: number): boolean {
  return body.codePointAt(at - 1)! > 0xffff
}

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
 * Finds the longest run of at most `max` tokens: steps from the sum of its parts' tokens, which is
 * close, and then bisects. A run has fewer tokens than that sum, but hardly a third.
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
