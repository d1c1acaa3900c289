import { openDocument, type CatalogWork, type ReadingScope, type ThreadWork } from '@packs/catalog'
import { decode, restore, type Scheme, CodecError } from '@packs/codec'
import { loadTokenizer, composePrompt, type ComposedPrompt, type PromptDocument } from '@packs/codec/compress'
import { serializePack, findScheme, type LinkForm, splitSections, writeLinks } from '@packs/codec/internal'
import { divideText, listContents, type ListedHeading, writePart } from './divide-text.ts'
import { type Pack, checkMinified } from '@packs/codec/pack'
import type { OutlinedSection } from '@packs/codec/sections'

export interface DocumentTask {
  readonly sequence: number
  /** `counted-text` has a token count, and a last line if it is only the preview. */
  readonly part: 'page' | 'text' | 'counted-text' | 'document' | 'prompt'
  readonly scope: ReadingScope
  readonly options?: PromptOptions
  readonly place?: TextPlace
}

/** The part of a long text: that with a section, or that with a number from 1. */
export interface TextPlace {
  readonly section?: string | undefined
  readonly number?: number | undefined
}

export interface Heading extends Pick<OutlinedSection, 'id' | 'title' | 'level'> {
  /** Its line in the part, from 1. */
  readonly line: number
  /** Tokens of its section; undefined if the reader may not see all of that. */
  readonly tokens: number | undefined
}

/** What a page shows: a text of some length, or a part of a longer one. */
export interface TextPart {
  readonly text: string
  readonly headings: readonly Heading[]
  readonly contents: readonly ListedHeading[]
  readonly headingCount: number
  /** Ids of sections in all parts, which links can name. */
  readonly otherIds: readonly string[]
  /** Whether the reader may see all of the text. */
  readonly isWhole: boolean
  readonly number: number
  readonly count: number
  /** Where the section that was asked for is, if the text has it. */
  readonly asked: ListedHeading['place'] | undefined
}

/** The part of a text, the bytes of the text or document, or the prompt. */
export interface DocumentPart {
  readonly page?: TextPart
  readonly bytes?: Uint8Array
  readonly tokens?: number
  readonly prompt?: PagePrompt
}

const MAX_OTHER_IDS = 20_000

/**
 * @throws CatalogError `catalog_damaged` if the document differs from what was committed
 * @throws CodecError if it cannot be decoded
 */
export const work: CatalogWork<DocumentTask, DocumentPart> = async (
  { packs, search },
  { sequence, part, scope, options, place = {} },
) => {
  const version = await packs.read(sequence)
  if (version === undefined) throw new Error('A version that was found no longer exists')
  const opened = openDocument(version)
  // What a preview shows must not hold a word of the patch.
  const pack = scope === 'full' ? await dropWrongPatch(opened) : withoutPatch(opened)
  if (part === 'document') {
    const isStored = pack === opened && pack.signatures === undefined
    return { bytes: isStored ? version.document : Buffer.from(serializePack(pack)) }
  }
  if (part === 'prompt') return { prompt: await composePagePrompt(pack, scope, options!) }
  const text = readForPeople(pack, scope)
  if (part === 'text') return { bytes: Buffer.from(text) }
  if (part === 'counted-text') {
    const counted = text + describeRest(pack, scope)
    return { bytes: Buffer.from(counted), tokens: await countShown(pack, counted, scope) }
  }
  const outline = (await search.outline(sequence)) ?? { sections: [], preview: 0 }
  return { page: await readPart(pack, text, outline, scope, place) }
}

async function readPart(
  pack: Pack,
  text: string,
  { sections: outlined, preview }: { sections: readonly OutlinedSection[]; preview: number },
  scope: ReadingScope,
  place: TextPlace,
): Promise<TextPart> {
  const end = scope === 'full' ? Infinity : preview
  const sections = pack.minify === undefined ? outlined : placeSections(outlined, text)
  const cuts = divideText(text)
  const asked = sections.find(({ id, level }) => level > 0 && id === place.section)
  const at = asked === undefined || asked.start >= text.length ? 0 : asked.start
  const number = place.number ?? cuts.findLastIndex(({ start }) => start <= at) + 1
  const index = Math.min(number, cuts.length) - 1
  const cut = cuts[index]!
  const isHere = ({ start }: OutlinedSection): boolean => start >= cut.start && start < cut.end
  const isWhole = end >= (sections.at(-1)?.end ?? 0)
  const contents = listContents(sections, cut, text.length)
  const written = writePart(text, cuts, index, isWhole)
  const shown = pack.minify === undefined ? sections : await countCopies(pack, scope, sections, end, isHere)
  return {
    text: written,
    headings: listHeadings(shown.filter(isHere), written, end, cut.start - cut.before.length),
    contents,
    headingCount: sections.filter(({ level }) => level > 0).length,
    otherIds: (isWhole ? sections : contents).slice(0, MAX_OTHER_IDS).map(({ id }) => id),
    isWhole,
    number: index + 1,
    count: cuts.length,
    asked: asked && (asked.start < text.length ? 'here' : 'locked'),
  }
}

export const documentWork: ThreadWork<DocumentTask, DocumentPart> = { module: import.meta.url, work }

/** Describes, below the preview of a pack, where to get the rest. */
function describeRest({ slug, content, preview_content }: Pack, scope: ReadingScope): string {
  if (scope === 'full' || content === preview_content) return ''
  return `\n\n[This is only the beginning of the pack. For all of it, request /api/v1/packs/${slug} with the API key of a Pro account.]\n`
}

/** A pack states the count of its source, but for its preview only that before decoding. */
async function countShown(
  { tokenizer, uncompressed_estimate, minify, patch }: Pack,
  text: string,
  scope: ReadingScope,
): Promise<number> {
  if (scope === 'full' && (minify === undefined) === (patch === undefined)) return uncompressed_estimate
  return (await loadTokenizer(tokenizer)).countTokens(text)
}

/** Counts the shown sections as their buttons copy them: with addresses in place. */
async function countCopies(
  pack: Pack,
  scope: ReadingScope,
  sections: readonly OutlinedSection[],
  end: number,
  isShown: (section: OutlinedSection) => boolean,
): Promise<readonly OutlinedSection[]> {
  const text = decode(scope === 'full' ? pack.content : pack.preview_content, pack.rosetta)
  const tokenizer = await loadTokenizer(pack.tokenizer)
  return sections.map((section, at) => {
    if (!isShown(section) || section.end > end) return section
    const part = text.slice(sections[at - 1]?.end ?? 0, section.end)
    const written = writeAddresses(pack, part)
    return written === part ? section : { ...section, tokens: tokenizer.countTokens(written) }
  })
}

type PlacedSection = Pick<OutlinedSection, 'id' | 'title' | 'level' | 'start' | 'end'> &
  Partial<Pick<OutlinedSection, 'tokens'>>

/**
 * Lists the headings of a part of a text with their lines.
 * @param end offset up to which the reader may see the whole text
 * @param from offset of the part in the whole text
 */
export function listHeadings(
  sections: readonly PlacedSection[],
  part: string,
  end: number = Infinity,
  from = 0,
): readonly Heading[] {
  const space = /\s*/y
  let line = 1
  let at = 0
  return sections
    .filter(({ level }) => level > 0)
    .map(({ id, title, level, start, end: sectionEnd, tokens }) => {
      // A section that begins with blank lines has its heading below them.
      space.lastIndex = start - from
      const first = start - from + (space.exec(part)?.[0].length ?? 0)
      line += part.slice(at, first).match(/\r\n?|\n/g)?.length ?? 0
      at = first
      return { id, title, level, line, tokens: sectionEnd <= end ? tokens : undefined }
    })
}

export interface PromptOptions {
  /** Undefined keeps the header that the pack was built with. */
  readonly scheme: Scheme | undefined
  readonly links: LinkForm
}

export interface PagePrompt extends Pick<ComposedPrompt, 'text' | 'rosetta' | 'tokens' | 'links'> {
  /** Tokens of the plain text; the source of a whole pack may have more. */
  readonly sources: number
  /** Whether the form of links can make a difference: not for the source of a pack. */
  readonly hasLinks: boolean
  /** Whether the text is too large to be compressed here, so that it is the source. */
  readonly isTooLarge: boolean
}

/** UTF-16 units that are compressed for a page: of a whole pack, and of a preview. */
const MAX_COMPRESSED = 512 * 1024
const MAX_COMPRESSED_PREVIEW = 128 * 1024

/**
 * Of a preview it uses nothing but the decoded text.
 * @throws CompressError if it cannot be composed
 */
export async function composePagePrompt(
  pack: Pack,
  scope: ReadingScope,
  { scheme, links: form }: PromptOptions,
): Promise<PagePrompt> {
  const isFull = scope === 'full'
  const { tokenizer } = pack
  const document = isFull ? pack : describePreview(pack)
  const isLarge = document.content.length > (isFull ? MAX_COMPRESSED : MAX_COMPRESSED_PREVIEW)
  const wanted = scheme ?? (isFull ? undefined : findScheme(pack.compression))
  const isTooLarge = isLarge && wanted !== undefined && wanted !== 'none'
  const used = isTooLarge ? 'none' : wanted
  const isSource = isFull && used === 'none'
  const options = { scheme: used, tokenizer, links: isSource ? 'inline' : form } as const
  const { text, rosetta, tokens, plan, links } = await composePrompt([document], options)
  const hasLinks = !isSource && decode(document.content, document.rosetta ?? '[DECODE]').includes('](')
  return { text, rosetta, tokens, links, hasLinks, sources: plan.costs.texts ?? tokens, isTooLarge }
}

/** Describes a preview as a document of its own, without anything else of the pack. */
function describePreview(pack: Pack): PromptDocument {
  const { preview_content, rosetta, slug, title, format, tokenizer, links, url, minify } = pack
  const content = decode(preview_content, rosetta)
  return { content, rosetta: '[DECODE]', slug, title, format, tokenizer, links, url, minify }
}

export function withoutPatch(pack: Pack): Pack {
  if (pack.patch === undefined) return pack
  const { patch: _patch, ...rest } = pack
  return rest
}

/**
 * Drops a patch that would show people another text than models read.
 * @throws CodecError if the pack cannot be decoded
 */
export async function dropWrongPatch(pack: Pack): Promise<Pack> {
  if (pack.patch === undefined) return pack
  try {
    return (await checkMinified(pack)).ok ? pack : withoutPatch(pack)
  } catch (error) {
    if (error instanceof CodecError && error.code === 'invalid_patch') return withoutPatch(pack)
    throw error
  }
}

/**
 * Returns the source; of a preview, and without patch, the text with its addresses in place.
 * @throws CodecError if the pack cannot be decoded
 */
export function readForPeople(pack: Pack, scope: ReadingScope): string {
  if (scope === 'full' && pack.patch !== undefined) return restore(pack)
  return writeAddresses(pack, decode(scope === 'full' ? pack.content : pack.preview_content, pack.rosetta))
}

/** Writes the addresses of a pack into a part of its text for models. */
export function writeAddresses({ links = [], url, minify }: Pack, text: string): string {
  return writeLinks(text, links, 'inline', { url, dialect: minify?.dialect })
}

/** Moves `start` of sections to what people read, Infinity beyond its end; `end` stays. */
export function placeSections(
  sections: readonly OutlinedSection[],
  text: string,
): readonly OutlinedSection[] {
  // Only the source may have something before the first heading, such as a comment.
  const found = splitSections(text).filter(({ level }) => level > 0)
  let at = 0
  return sections.map((section) => {
    if (section.level === 0) return { ...section, start: 0 }
    const { level, start = Infinity } = found[at++] ?? {}
    return { ...section, start: level === section.level ? start : Infinity }
  })
}
