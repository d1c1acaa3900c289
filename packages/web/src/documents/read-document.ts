import { openDocument, type CatalogWork, type ThreadWork } from '@packs/catalog'
import { createDecoder, decode, restore, type Scheme, CodecError } from '@packs/codec'
import { loadTokenizer, composePrompt, countTokens } from '@packs/codec/compress'
import type { ComposedPrompt, PromptDocument, TokenizerName } from '@packs/codec/compress'
import { serializePack, findScheme, type LinkForm, splitSections, writeLinks } from '@packs/codec/internal'
import { type Pack, checkMinified } from '@packs/codec/pack'
import type { OutlinedSection } from '@packs/codec/sections'

export interface DocumentTask {
  readonly sequence: number
  /** `counted-text` has a token count, and a last line if it is only the preview. */
  readonly part: 'beginning' | 'text' | 'counted-text' | 'document' | 'prompt'
  readonly scope: Scope
  readonly options?: PromptOptions
}

export interface Beginning {
  readonly text: string
  /** Whether the decoded text is longer than `text`. */
  readonly isTruncated: boolean
}

export interface Heading extends Pick<OutlinedSection, 'id' | 'title' | 'level'> {
  /** Its line in the beginning, from 1; undefined if it comes later. */
  readonly line: number | undefined
  /** Tokens of its section; undefined if the reader may not see all of that. */
  readonly tokens: number | undefined
}

export interface DocumentBeginning extends Beginning {
  /** The headings in the beginning, and the next ones up to {@link MAX_CONTENTS}. */
  readonly headings: readonly Heading[]
  readonly headingCount: number
  /** Tokens of a text before the first heading, if the reader may see all of it. */
  readonly introTokens: number | undefined
  readonly isWhole: boolean
}

/** The beginning, the bytes of the text or document, or the prompt. */
export interface DocumentPart {
  readonly beginning?: DocumentBeginning
  readonly bytes?: Uint8Array
  readonly tokens?: number
  readonly prompt?: PagePrompt
}

/** UTF-16 units of content decoded at a time. */
const CHUNK_LENGTH = 16_384
/** UTF-16 units of decoded text that a page shows. */
const MAX_TEXT = 100_000
export const MAX_CONTENTS = 200

/**
 * @throws CatalogError `catalog_damaged` if the document differs from what was committed
 * @throws CodecError if it cannot be decoded
 */
export const work: CatalogWork<DocumentTask, DocumentPart> = async (
  { packs, search },
  { sequence, part, scope, options },
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
  const content = scope === 'full' ? pack.content : pack.preview_content
  if (part === 'text') return { bytes: Buffer.from(readForPeople(pack, scope)) }
  if (part === 'counted-text') {
    const text = readForPeople(pack, scope) + describeRest(pack, scope)
    return { bytes: Buffer.from(text), tokens: await countShown(pack, text, scope) }
  }
  const { sections, preview } = (await search.outline(sequence)) ?? { sections: [], preview: 0 }
  const end = scope === 'full' ? Infinity : preview
  const isMinified = pack.minify !== undefined
  const beginning = isMinified
    ? cutBeginning(readForPeople(pack, scope), MAX_TEXT)
    : decodeBeginning(content, pack.rosetta, MAX_TEXT)
  const shown = isMinified
    ? await countCopies(pack, scope, placeSections(sections, beginning.text), end)
    : sections
  return {
    beginning: {
      ...beginning,
      headings: listHeadings(shown, beginning.text, end),
      headingCount: sections.filter(({ level }) => level > 0).length,
      introTokens: shown.find((section) => section.level === 0 && section.end <= end)?.tokens,
      isWhole: end >= (sections.at(-1)?.end ?? 0),
    },
  }
}

export const documentWork: ThreadWork<DocumentTask, DocumentPart> = { module: import.meta.url, work }

/** Describes, below the preview of a pack, where to get the rest. */
function describeRest({ slug, content, preview_content }: Pack, scope: Scope): string {
  if (scope === 'full' || content === preview_content) return ''
  return `\n\n[This is only the beginning of the pack. For all of it, request /api/v1/packs/${slug} with the API key of a Pro account.]\n`
}

/** A pack states the count of its source, but for its preview only that before decoding. */
async function countShown(
  { tokenizer, uncompressed_estimate, minify, patch }: Pack,
  text: string,
  scope: Scope,
): Promise<number> {
  if (scope === 'full' && (minify === undefined) === (patch === undefined)) return uncompressed_estimate
  return (await loadTokenizer(tokenizer)).countTokens(text)
}

/**
 * Decodes up to `limit` UTF-16 units and cuts after the last whole line, unless that drops half.
 * @throws CodecError if the header is invalid
 */
export function decodeBeginning(content: string, rosetta: string, limit: number): Beginning {
  const decoder = createDecoder(rosetta)
  let text = ''
  for (let at = 0; at < content.length && text.length <= limit; at += CHUNK_LENGTH) {
    text += decoder.push(content.slice(at, at + CHUNK_LENGTH))
  }
  if (text.length <= limit) text += decoder.end()
  return cutBeginning(text, limit)
}

function cutBeginning(text: string, limit: number): Beginning {
  if (text.length <= limit) return { text, isTruncated: false }
  const line = text.lastIndexOf('\n', limit - 1)
  return { text: text.slice(0, line > limit / 2 ? line + 1 : limit), isTruncated: true }
}

/** Counts the shown sections as their buttons copy them: with addresses in place. */
async function countCopies(
  pack: Pack,
  scope: Scope,
  sections: readonly OutlinedSection[],
  end: number,
): Promise<readonly OutlinedSection[]> {
  const text = decode(scope === 'full' ? pack.content : pack.preview_content, pack.rosetta)
  const tokenizer = await loadTokenizer(pack.tokenizer)
  return sections.map((section, at) => {
    if (section.start === Infinity || section.end > end) return section
    const part = text.slice(sections[at - 1]?.end ?? 0, section.end)
    const written = writeAddresses(pack, part)
    return written === part ? section : { ...section, tokens: tokenizer.countTokens(written) }
  })
}

type ListedSection = Pick<OutlinedSection, 'id' | 'title' | 'level' | 'start' | 'end'> &
  Partial<Pick<OutlinedSection, 'tokens'>>

/**
 * Lists the first headings of a text with their lines, and the next up to {@link MAX_CONTENTS}.
 * @param sections of the whole text, in order
 * @param end offset up to which the reader may see the whole text
 * @example
 * listHeadings(outlineSections('# A\n\ntext\n\n## B\n', tokenizer), '# A\n') // A in line 1, and B
 */
export function listHeadings(
  sections: readonly ListedSection[],
  beginning: string,
  end: number = Infinity,
): readonly Heading[] {
  const headings: Heading[] = []
  const space = /\s*/y
  let line = 1
  let at = 0
  for (const { id, title, level, start, end: sectionEnd, tokens } of sections) {
    if (level === 0) continue
    // A section that begins with blank lines has its heading below them.
    space.lastIndex = start
    const first = start + (space.exec(beginning)?.[0].length ?? 0)
    const isShown = first < beginning.length
    if (!isShown && headings.length >= MAX_CONTENTS) break
    if (isShown) {
      line += beginning.slice(at, first).match(/\r\n?|\n/g)?.length ?? 0
      at = first
    }
    headings.push({
      id,
      title,
      level,
      line: isShown ? line : undefined,
      tokens: sectionEnd <= end ? tokens : undefined,
    })
  }
  return headings
}

export interface PromptOptions {
  /** Undefined keeps the header that the pack was built with. */
  readonly scheme: Scheme | undefined
  /** Undefined is that of the pack. */
  readonly tokenizer: TokenizerName | undefined
  /** Undefined is for the page: numbers, and what a copy with addresses takes. */
  readonly links?: LinkForm | undefined
}

export interface PagePrompt extends Pick<ComposedPrompt, 'text' | 'rosetta' | 'tokens' | 'links'> {
  /** Tokens of the source; of a preview, of its plain text. */
  readonly sources: number
  /** Tokens of the prompt with its addresses in place; undefined if no link is numbered. */
  readonly inline: number | undefined
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
  scope: 'full' | 'preview',
  { scheme, tokenizer = pack.tokenizer, links: form }: PromptOptions,
): Promise<PagePrompt> {
  const isFull = scope === 'full'
  const document = isFull ? pack : describePreview(pack)
  const isLarge = document.content.length > (isFull ? MAX_COMPRESSED : MAX_COMPRESSED_PREVIEW)
  const wanted = scheme ?? (isFull ? undefined : findScheme(pack.compression))
  const isTooLarge = isLarge && wanted !== undefined && wanted !== 'none'
  const compose = (links: LinkForm): Promise<ComposedPrompt> =>
    composePrompt([document], { scheme: isTooLarge ? 'none' : wanted, tokenizer, links })
  const { text, rosetta, tokens, plan, links } = await compose(form ?? 'number')
  const isNumbered = form === undefined && Object.keys(links).length > 0
  const inline = isNumbered ? (await compose('inline')).tokens : undefined
  const isRestored = isFull && pack.patch !== undefined
  const sources = isRestored ? await countTokens(restore(pack), tokenizer) : (plan.costs.texts ?? tokens)
  return { text, rosetta, tokens, links, inline, sources, isTooLarge }
}

/** Describes a preview as a document of its own, without anything else of the pack. */
function describePreview(pack: Pack): PromptDocument {
  const { preview_content, rosetta, slug, title, format, tokenizer, links, url, minify } = pack
  const content = decode(preview_content, rosetta)
  return { content, rosetta: '[DECODE]', slug, title, format, tokenizer, links, url, minify }
}

export type Scope = 'full' | 'preview'

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
export function readForPeople(pack: Pack, scope: Scope): string {
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
