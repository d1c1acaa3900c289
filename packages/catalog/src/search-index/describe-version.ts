import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { decode, restore } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/compress'
import {
  findTextCuts,
  LineKind,
  LineMark,
  type LineTable,
  locateSections,
  measurePreview,
  readInlineText,
  scanLines,
} from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { outlineSections, type OutlinedSection } from '@packs/codec/sections'
import { describePack, encodeVector, type Occurrence } from '@packs/search'
import { cleanText } from '../database/database.ts'
import { z } from 'zod'

/** What the index stores of a version, except that its terms have no numbers yet. */
export interface DescribedVersion {
  /** As `encodeOutline` writes it. */
  readonly outline: string
  /** In the order of their first use, joined by line feeds. */
  readonly terms: string
  /** The words of each term, in the same order; an empty line for none. */
  readonly words: string
  readonly entries: readonly DescribedEntry[]
  readonly texts: readonly string[]
  /** Stored, and compared by `pack verify`. */
  readonly lead: string
}

interface DescribedEntry {
  readonly ordinal: number
  readonly tokens: number
  /** Its numbers are places in `terms`. */
  readonly vector: Uint8Array
  readonly filters: readonly string[]
}

export function splitLines(lines: string): string[] {
  return lines === '' ? [] : lines.split('\n')
}

/** @throws CodecError */
export async function outlinePack(pack: Pack): Promise<Outline & { readonly body: string }> {
  const tokenizer = await loadTokenizer(pack.tokenizer)
  const body = decode(pack.content, pack.rosetta)
  const sections = outlineSections(body, tokenizer, { source: restore(pack), dialect: pack.minify?.dialect })
  return { body, preview: measurePreview(pack), sections, ...(pack.url !== undefined && { url: pack.url }) }
}

/**
 * Can take longer than the commit, so it is done before the transaction.
 * @throws CodecError
 */
export async function describeVersion(pack: Pack): Promise<DescribedVersion> {
  const { preview_content, content, rosetta } = pack
  const outline = await outlinePack(pack)
  const { entries, words } = describePack(pack, outline.body, outline.sections)
  const numbers = new Map<string, number>()
  const numberOf = (term: string): number => {
    let number = numbers.get(term) ?? numbers.get(cleanText(term))
    if (number === undefined) numbers.set(cleanText(term), (number = numbers.size))
    return number
  }
  const described = entries.map(({ ordinal, tokens, length, terms, filters }): DescribedEntry => {
    const occurrences = new Map<number, Occurrence>()
    for (const [term, occurrence] of terms) occurrences.set(numberOf(term), occurrence)
    const vector = encodeVector({ length, occurrences })
    return { ordinal, tokens, vector, filters: filters.map(cleanText) }
  })
  const terms = [...numbers.keys()]
  return {
    outline: encodeOutline(outline),
    terms: terms.join('\n'),
    words: terms.map((term) => cleanText(words.get(term) ?? '')).join('\n'),
    entries: described,
    texts: cutSections(outline),
    lead: findLead(decode(preview_content, rosetta), preview_content.length < content.length),
  }
}

export function cutSections({ body, sections }: Outline & { readonly body: string }): readonly string[] {
  return sections.map(({ start, end }) => body.slice(start, end))
}

/**
 * Lets other work of the process run in between.
 * @throws CodecError
 */
export async function describeVersions(packs: readonly Pack[]): Promise<readonly DescribedVersion[]> {
  const described: DescribedVersion[] = []
  for (const pack of packs) {
    described.push(await describeVersion(pack))
    await yieldToOthers()
  }
  return described
}

export interface Outline {
  /** Offset of the decoded body where the preview ends, in UTF-16 units. */
  readonly preview: number
  /** In order; their offsets are UTF-16 units of the decoded body. */
  readonly sections: readonly OutlinedSection[]
  readonly url?: string
}

/** `[preview, sections, url]`; paths and offsets follow from levels and lengths. */
const outlineSchema = z.tuple([
  z.int().min(0),
  z.array(
    z.tuple([
      z.int().min(0).max(6).describe('level'),
      z.string().describe('id'),
      z.string().describe('title'),
      z.int().min(0).describe('length in UTF-16 units'),
      z.int().min(0).describe('tokens'),
      z.int().min(0).optional().describe('tokens of the subtree'),
    ]),
  ),
  z.string().optional().describe('URL of the page'),
])

type StoredOutline = z.infer<typeof outlineSchema>

/** Writes an outline as JSON. JSON escapes the characters that a database cannot store. */
export function encodeOutline({ preview, sections, url }: Outline): string {
  const rows = sections.map(
    ({ level, id, title, start, end, subtreeEnd, tokens, subtreeTokens }): StoredOutline[1][number] => {
      const row = [level, id, title, end - start, tokens] as const
      return subtreeEnd === end ? [...row] : [...row, subtreeTokens]
    },
  )
  return JSON.stringify((url === undefined ? [preview, rows] : [preview, rows, url]) satisfies StoredOutline)
}

/** Reads a stored outline; `undefined` if it is damaged. */
export function decodeOutline(data: string): Outline | undefined {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return undefined
  }
  const parsed = outlineSchema.safeParse(value)
  if (!parsed.success) return undefined
  const [preview, rows, url] = parsed.data
  let end = 0
  const ends = rows.map(([, , , length]) => (end += length))
  const sections = rows.map(([level, id, title, , tokens, subtreeTokens = tokens]) => {
    return { level, id, title, tokens, subtreeTokens }
  })
  return { preview, sections: locateSections(sections, ends), ...(url !== undefined && { url }) }
}

/** UTF-16 units of a preview that are read. */
const MAX_READ = 1 << 16
/** UTF-16 units of a paragraph that are read. */
const MAX_PARAGRAPH = 4_000
/** UTF-16 units of a sentence that is preferred to a paragraph without one. */
const MIN_SENTENCE = 12
const SENTENCE_END = /[.!?…。！？؟।]\P{L}{0,3}$/u
/** The paragraphs that are read, in order: in lists and quotes or not, only sentences or all. */
const PASSES = [
  [0, true],
  [0, false],
  [LineMark.inContainer, true],
  [LineMark.inContainer, false],
] as const
/** Code points of a lead. */
const MAX_LEAD = 200

/**
 * Returns the first sentence of the first paragraph as text without markup, of at most 200 code
 * points; empty if there is none. Headings, images, HTML, code and tables are skipped. Paragraphs
 * without the end of a sentence, such as a list of links, are read only where there is no other,
 * and so are lists and quotes.
 * @param isCut whether more text follows
 */
export function findLead(text: string, isCut: boolean): string {
  const table = scanLines(text.slice(0, MAX_READ), { frontMatter: false })
  const end = isCut || text.length > MAX_READ ? table.text.trimEnd().length : Infinity
  for (const [inContainer, needsSentence] of PASSES)
    for (let line = 0; line < table.count; line++) {
      const mark = table.marks[line]! & (LineMark.startsLeaf | LineMark.inContainer)
      if (table.kinds[line] !== LineKind.paragraph || mark !== (LineMark.startsLeaf | inContainer)) continue
      const { words, last } = readParagraph(table, line)
      if (!/[\p{L}\p{N}]/u.test(words)) continue
      const [sentence = words.length] = findTextCuts(words, 0, words.length, []).sentences
      if (needsSentence && !(sentence >= MIN_SENTENCE && SENTENCE_END.test(words.slice(0, sentence))))
        continue
      return cutSentence(words, table.bodyEnds[last]! >= end)
    }
  return ''
}

function readParagraph(
  { text, count, kinds, marks, bodyStarts, bodyEnds }: LineTable,
  first: number,
): { readonly words: string; readonly last: number } {
  let last = first
  const lines = [text.slice(bodyStarts[first], bodyEnds[first])]
  for (let length = 0; length < MAX_PARAGRAPH; length += lines.at(-1)!.length) {
    const next = last + 1
    if (next >= count || kinds[next] !== LineKind.paragraph || marks[next]! & LineMark.startsLeaf) break
    lines.push(text.slice(bodyStarts[next], bodyEnds[next]))
    last = next
  }
  const inline = lines
    .join(' ')
    .slice(0, MAX_PARAGRAPH)
    .replace(/!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])?|\[\^[^[\]]*\]|<!--[^<>]*-->|^\[![A-Za-z]+\]/g, '')
    .replace(/<(https?:[^<>\s]*)>/g, '$1')
  return { words: cleanText(readInlineText(inline)), last }
}

/** @param isOpen whether the paragraph may continue after these words */
function cutSentence(words: string, isOpen: boolean): string {
  const [end] = findTextCuts(words, 0, words.length, []).sentences
  const sentence = words.slice(0, end)
  const points = Array.from(sentence)
  if (points.length > MAX_LEAD) {
    const shown = points.slice(0, MAX_LEAD - 1).join('')
    const space = shown.lastIndexOf(' ')
    // Some scripts put no space between words.
    return `${space > shown.length / 2 ? shown.slice(0, space) : shown}…`
  }
  return end === undefined && isOpen && !SENTENCE_END.test(sentence) ? `${sentence} …` : sentence
}
