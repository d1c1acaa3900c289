import { type TokenizerName, loadTokenizer } from '@packs/codec/compress'
import { listLinkPlaces, selectLinks, splitSections } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import type { Section } from '@packs/codec/sections'
import { createError, rethrow } from './client-error.ts'
import { createTextCutter, findFirst, type Part, selectBetween, type TextCutter } from './cut-text.ts'
import { decodePack } from './packs/decode-pack.ts'

/** A part of a pack, to compute an embedding of. */
export interface PackPassage {
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
  /** The address of each number in the text. */
  readonly links: Readonly<Record<string, string>>
  /** Tokens of the text. */
  readonly tokens: number
}

/** Settings of {@link passages}. */
export interface PassageOptions {
  /** Most tokens of a passage, with its overlap. @default 400 */
  readonly max?: number | undefined
  /** Shorter passages are joined with a neighbor. @default 80, at most a fifth of `max` */
  readonly min?: number | undefined
  /** Most tokens of the one before that a passage begins with, at most half of `max`. @default 0 */
  readonly overlap?: number | undefined
  /** @default the tokenizer of the pack */
  readonly tokenizer?: TokenizerName | undefined
}

/**
 * Cuts a whole pack into passages for embeddings: its sections. A section with fewer than `min`
 * tokens is joined with a neighbor, under the same heading if possible, and one with more than
 * `max` is cut at paragraphs; where that is not enough, at lines, sentences, words and code points.
 *
 * Without overlap the texts joined in order are the decoded body, byte for byte. An overlap begins
 * at a paragraph or else at a line of the one before; a passage has none if both are too long. The
 * same pack and options give the same passages. Only a code point can have more tokens than `max`.
 * @throws ClientError `invalid_option`, `unknown_tokenizer`, or a code of the codec
 * @example
 * const pack = await client.packs.get('tls-certificates')
 * if (!pack.preview) for (const { path, text } of await passages(pack)) await embed(path, text)
 */
export async function passages(pack: Pack, options: PassageOptions = {}): Promise<readonly PackPassage[]> {
  const { max, min, overlap } = readOptions(options)
  try {
    const tokenizer = await loadTokenizer(options.tokenizer ?? pack.tokenizer)
    const { body, source = body } = decodePack(pack)
    const dialect = pack.minify?.dialect
    const places = listLinkPlaces(body, dialect)
    const count = (start: number, end: number): number => tokenizer.countTokens(body.slice(start, end))
    const limits = { max: max - overlap, min, count }
    const cutter = createTextCutter(body, limits, places)
    const sections = splitSections(body, { source, dialect })
    const parts = joinSmall(cutSections(sections, cutter, limits), limits)
    const { slug, version, pack_digest, links = [], url } = pack
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
        links: selectLinks(places, links, { url, start, end: part.end }),
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
function readOptions(options: PassageOptions): Omit<Limits, 'count'> {
  const { max = 400, overlap = 0 } = options
  checkOption('max', max, 1, Number.MAX_SAFE_INTEGER)
  const { min = Math.min(80, Math.floor(max / 5)) } = options
  checkOption('min', min, 0, max)
  checkOption('overlap', overlap, 0, Math.floor(max / 2))
  return { max, min, overlap }
}

function checkOption(name: keyof PassageOptions, value: unknown, least: number, most: number): void {
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
 * Joins small units with a neighbor: first parts of one section, then those under the deepest
 * headings. The known sum decides; a text that has more tokens is divided again.
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

/** The first paragraph, or line, of the part before it that at most `overlap` tokens follow. */
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
): Pick<PackPassage, 'sections' | 'path'> {
  const { id, path } = sections[first]!
  const ids = [id]
  let common = path.length
  for (let next = first + 1; next < sections.length && sections[next]!.start < end; next++) {
    ids.push(sections[next]!.id)
    common = Math.min(common, getDepth(sections[next]!))
  }
  return { sections: ids, path: path.slice(0, common) }
}
