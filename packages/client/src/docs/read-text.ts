import type { ComposeOptions, Tokenizer } from '@packs/codec/compress'
import {
  frameTexts,
  joinLinks,
  type LinkedText,
  type LinkForm,
  listLinkPlaces,
  parsePackName,
  selectLinks,
  createDivider,
  writeHead,
  writeLinks,
} from '@packs/codec/internal'
import { requireFull } from '../packs/named-packs.ts'
import { type DocsSource, identify, type OpenedPack, type SectionPage, SourceError } from './source.ts'
import type { Context, OutlinedSection, Passage, Prompt, ReadText } from './types.ts'

/**
 * Writes a token for `next`: the version, the offset or section, and a mark of the text, so that it
 * reads on in that text only.
 */
export function writePlace(pack: OpenedPack, section: string | undefined, at: number): string {
  let mark = 0x811c9dc5 // FNV-1a
  for (const unit of `${pack.pack} ${pack.digest} ${section}`)
    mark = Math.imul(mark ^ unit.codePointAt(0)!, 0x01000193)
  return `${pack.version}:${at}:${(mark >>> 0).toString(36).slice(-4)}`
}

function placeError(): SourceError {
  const hint = 'Send pack and section as for that answer, or omit next to read from the start.'
  return new SourceError('invalid_arguments', 'next is not from an answer about this text.', hint)
}

/** @throws SourceError `invalid_arguments` for a place beyond what is read */
export function checkPlace(from: number, length: number): void {
  if (from > 0 && from >= length) throw placeError()
}

/** A pack that is open, at one of its sections and a place. */
export interface OpenedPart {
  readonly pack: OpenedPack
  readonly section: OutlinedSection | undefined
  /** The offset of `next`; 0 without it. */
  readonly from: number
}

/**
 * Opens a pack in the version of `next`, if there is one, and finds a section of it.
 * @throws SourceError `pack_not_found`, `section_not_found`, `tier_required`, `invalid_arguments`
 */
export async function openPart(
  source: DocsSource,
  name: string,
  { section: id, next }: Pick<TextOptions, 'section' | 'next'>,
  signal: AbortSignal,
): Promise<OpenedPart> {
  for (const [what, value] of Object.entries({ pack: name, section: id ?? '', next: next ?? '' })) {
    const hint = 'Pass options as the last argument.'
    const isText: boolean = typeof value === 'string'
    if (!isText) throw new SourceError('invalid_arguments', `The ${what} is not a text.`, hint)
  }
  const [, version, offset = 0] = /^([\w.+-]{1,100}):(\d{1,9}):\w{1,4}$/.exec(next ?? '') ?? []
  if (version === undefined && typeof next === 'string') throw placeError()
  const pack = await source.open(version ? `${parsePackName(name).pack}@${version}` : name, signal)
  const section = id === undefined ? undefined : await findSection(pack, id.replace(/^#/, ''), signal)
  const from = Number(offset)
  if (version !== undefined && next !== writePlace(pack, section?.section, from)) throw placeError()
  return { pack, section, from }
}

async function findSection(pack: OpenedPack, id: string, signal: AbortSignal): Promise<OutlinedSection> {
  const { section, nearest } = await pack.find(id, signal)
  const name = `${pack.pack}@${pack.version}`
  if (section === undefined) {
    const hint =
      nearest.length === 0
        ? 'Call read_pack without a section, or search_packs.'
        : `Similar ids: ${nearest.join(', ')}.`
    throw new SourceError('section_not_found', `${name} has no such section.`, hint)
  }
  if (!section.locked) return section
  throw new SourceError(
    'tier_required',
    `The section is not in the preview of ${name}, which is all that Free accounts get.`,
    'Call read_pack without a section for the preview; the rest needs a Pro key.',
  )
}

/** Returns the sections below one, in order, as far as the outline goes. */
export function findBelow(
  { sections }: SectionPage,
  { section: id, level }: OutlinedSection,
): readonly OutlinedSection[] {
  const start = sections.findIndex(({ section }) => section === id) + 1
  if (start === 0 || level === 0) return []
  const end = sections.findIndex((section, index) => index >= start && section.level <= level)
  return sections.slice(start, end < 0 ? sections.length : end)
}

/** Reads a pack, or a section with those below it if the reader may see all of them. */
export async function readWhole(
  { pack, section }: Pick<OpenedPart, 'pack' | 'section'>,
  signal: AbortSignal,
): Promise<LinkedText> {
  if (section === undefined) return pack.read(undefined, signal)
  const { section: id } = section
  const outline = pack.locked ? await pack.outline(signal) : undefined
  const subtree = outline === undefined || !findBelow(outline, section).some(({ locked }) => locked)
  return pack.read({ id, subtree }, signal)
}

/** No more text is tried for a token: even runs of blanks have fewer characters. */
const MAX_CHARACTERS_PER_TOKEN = 100

/**
 * Finds where the longest part of a text ends that fits: after a block, or else after a line, a
 * word or a code point.
 * @param fits whether the part up to an offset fits; true for all offsets before one that fits
 * @returns undefined if not even a code point fits
 */
export function findPartEnd(
  text: string,
  from: number,
  maxTokens: number,
  fits: (end: number) => boolean,
): number | undefined {
  const most = Math.min(text.length, from + MAX_CHARACTERS_PER_TOKEN * maxTokens)
  if (most === text.length && fits(most)) return most
  const rest = text.slice(from, most)
  const list = (pattern: RegExp): number[] =>
    Array.from(rest.matchAll(pattern), ({ index, 0: found }) => from + index + found.length)
  const cuts = [
    () =>
      createDivider(rest)
        .divide(Infinity)
        .map(({ end }) => from + end),
    () => list(/\n/g),
    () => list(/\s+/g),
    () => list(/./gsu),
  ]
  for (const cut of cuts) {
    const ends = cut().filter((end) => end < text.length)
    if (ends.length === 0 || !fits(ends[0]!)) continue
    let low = 0
    for (let high = ends.length; high - low > 1;) {
      const middle = (low + high) >> 1
      if (fits(ends[middle]!)) low = middle
      else high = middle
    }
    return ends[low]!
  }
  return undefined
}

interface TextOptions {
  readonly section: string | undefined
  readonly next: string | null | undefined
  readonly links: LinkForm
  readonly budget: number
  readonly signal: AbortSignal
}

/** Reads a pack or a section, as far as the budget goes. */
export async function readText(
  source: DocsSource,
  name: string,
  { budget, links: form, signal, ...asked }: TextOptions,
  tokenizer: Tokenizer,
): Promise<ReadText> {
  const part = await openPart(source, name, asked, signal)
  const linked = await readWhole(part, signal)
  const { pack, section, from } = part
  const all = linked.text.length
  checkPlace(from, all)
  const write = (end: number): string => writeLinks(linked.text.slice(from, end), linked.links, form, linked)
  const fits = (end: number): boolean => tokenizer.countTokens(write(end)) <= budget
  const end = budget === Infinity ? all : (findPartEnd(linked.text, from, budget, fits) ?? from)
  const text = write(end)
  return {
    ...identify(pack),
    section: section?.section ?? null,
    text,
    links: form === 'number' ? selectLinks(listLinkPlaces(text, linked.dialect), linked.links, linked) : {},
    tokens: tokenizer.countTokens(text),
    locked: pack.locked,
    next: end < all ? writePlace(pack, section?.section, end) : null,
  }
}

/** Answers without a question: the texts of packs, each in tags. */
export async function composeWhole(
  packs: readonly OpenedPack[],
  { links: form, budget, signal }: Pick<TextOptions, 'links' | 'budget' | 'signal'>,
  tokenizer: Tokenizer,
): Promise<Context> {
  const linked = await Promise.all(packs.map((pack) => pack.read(undefined, signal)))
  const { texts, links } =
    form === 'number'
      ? joinLinks(linked)
      : { texts: linked.map((one) => writeLinks(one.text, one.links, form, one)), links: [] }
  const framed = frameTexts(
    packs.map(({ pack }, at) => ({ attributes: { id: pack }, text: texts[at]!.trimEnd() })),
  )
  const text = writeHead(undefined, links.length > 0) + framed.join('')
  const tokens = tokenizer.countTokens(text)
  const answer = { budget, match: 'good', omitted: [], corrected: null, stale: false } as const
  if (tokens > budget) return { ...answer, text: '', links: {}, tokens: 0, passages: [], needed: tokens }
  const passages = packs.map((pack, at): Passage => {
    const own = { section: null, sections: [], path: [pack.title], score: 1, text: texts[at]! }
    const url = linked[at]!.url ?? null
    return { ...identify(pack), ...own, tokens: tokenizer.countTokens(framed[at]!), url }
  })
  const numbered = Object.fromEntries(links.map((address, at) => [at + 1, address]))
  return { ...answer, text, links: numbered, tokens, passages, needed: null }
}

/** Composes whole packs; what is needed is a result if they do not fit. */
export async function composePacks(packs: readonly OpenedPack[], options: ComposeOptions): Promise<Prompt> {
  const documents = packs.map(
    ({ document, pack: slug }) => document ?? requireFull({ preview: true, slug } as never),
  )
  const { composePrompt: compose } = await import('@packs/codec/compress')
  try {
    const { text, rosetta, links, tokens, tokenizer, packs: count } = await compose(documents, options)
    const fitting = packs.slice(0, count).map(identify)
    return { text, rosetta, links, tokens, tokenizer, packs: fitting, needed: null }
  } catch (error) {
    const { code, tokens: needed, tokenizer = 'o200k_base' } = error as Partial<Prompt> & { code?: string }
    if (code !== 'over_budget' || needed === undefined) throw error
    return { text: '', rosetta: '[DECODE]', links: {}, tokens: 0, tokenizer, packs: [], needed }
  }
}
