import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { decode, restore } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/compress'
import { measurePreview, locateSections } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { outlineSections, type OutlinedSection } from '@packs/codec/sections'
import { describePack, encodeVector } from '@packs/search'
import { cleanText } from '../database/database.ts'
import { findLead } from './find-lead.ts'
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
    const known = numbers.get(term)
    if (known !== undefined) return known
    numbers.set(term, numbers.size)
    return numbers.size - 1
  }
  const described = entries.map(({ ordinal, tokens, length, terms, filters }): DescribedEntry => {
    const occurrences = new Map(
      Array.from(terms, ([term, occurrence]) => [numberOf(cleanText(term)), occurrence]),
    )
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
