import { type LinkedText, linkText, splitSections } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { isFullTerm, mergeWords } from './analysis/terms.ts'
import { describePack, isSectionTerm, type DescribedPack, type Entry } from './entries/describe-pack.ts'
import { encodeVector, listKeyTerms, type Occurrence } from './entries/vector.ts'
import type { FoundPack, FoundSection } from './store.ts'

/** A pack with its description. The text is absent if it is read from elsewhere. */
export interface IndexedPack {
  readonly pack: FoundPack
  readonly described: DescribedPack
  readonly body?: string
  /** Of the text. @default none */
  readonly linked?: Omit<LinkedText, 'text'>
}

/** A pack with the text that it decodes to, and the source of that, which names its sections. */
export interface TextPack {
  readonly pack: Pack
  readonly body: string
  readonly source?: string
}

/** A pack in an index of texts. */
export interface IndexedText extends FoundPack, Pick<Pack, 'tokenizer'> {
  readonly sections: readonly (FoundSection & { readonly start: number; readonly end: number })[]
}

/** The number of a pack is its place in the list. Tokens of sections are not counted. */
export function indexTexts(packs: readonly TextPack[]): Uint8Array {
  return writeIndex(describeTexts(packs))
}

/** Descriptions are large, so each is only made when it is written. */
function* describeTexts(packs: readonly TextPack[]): Generator<IndexedPack> {
  for (const [number, { pack, body, source = body }] of packs.entries()) {
    const { id, slug, title, version, domain_slug, difficulty, tokenizer, pack_digest } = pack
    const { token_count, rosetta_tokens, uncompressed_estimate } = pack
    const names = { number, sequence: number, id, slug, title, version, domain_slug, difficulty }
    const figures = { token_count, rosetta_tokens, uncompressed_estimate, tokenizer, pack_digest }
    const sections = splitSections(body, { source, dialect: pack.minify?.dialect }).map((section) => {
      const { start, end, path } = section
      return { id: section.id, title: section.title, path, tokens: 0, start, end }
    })
    const url = pack.url !== undefined && { url: pack.url }
    const indexed: IndexedText = { ...names, ...figures, ...url, sections }
    const { text: _, ...linked } = linkText(pack, '')
    yield { pack: indexed, body, linked, described: describePack(pack, body, sections) }
  }
}

interface WrittenTerm {
  readonly id: number
  words: string
  sections: number
  /** Numbers of the entries that have it, ascending, and of those that have it as a key term. */
  readonly entries: number[]
  readonly keys: number[]
}

/** How many numbers the header and the rows of each table have. */
export const SIZES = { header: 5, terms: 3, entries: 4, packs: 4 } as const

/**
 * Writes an index of packs as one buffer, which `openIndex` reads in place.
 *
 *     index   = header terms rows entries packs data
 *     header  = sections words, then the numbers of terms, entries and packs
 *     terms   = (id sections offset)*             in the order of their texts
 *     rows    = row*                              of the terms, in the order of ids, from 1
 *     entries = (pack ordinal+1 tokens offset)*   the data is the vector
 *     packs   = (number entry entries offset)*    the data is facts, as JSON, the body, and its
 * links, as JSON
 *     data    = bytes*                            of a term: text, words, list and list of keys
 *     bytes   = length byte*                      texts are UTF-8
 *     list    = length difference*                of entries, each to the one before
 *
 * Numbers before the data have 32 bits, little-endian, and offsets count from the start of the
 * data. Lengths and differences are unsigned LEB128.
 * @param packs in the order to index them
 */
export function writeIndex(packs: Iterable<IndexedPack>): Uint8Array<ArrayBuffer> {
  const data = new Data()
  const terms = new Map<string, WrittenTerm>()
  const totals = { sections: 0, words: 0 }
  const entryRows: number[] = []
  const packRows: number[] = []
  const countEntries = (): number => entryRows.length / SIZES.entries

  /** Returns a term, and adds to its words. */
  const findTerm = (text: string, words: string): WrittenTerm => {
    let term = terms.get(text)
    if (term === undefined)
      terms.set(text, (term = { id: terms.size + 1, words, sections: 0, entries: [], keys: [] }))
    else term.words = mergeWords(term.words, words)
    return term
  }
  const addEntry = (pack: number, entry: Entry, words: DescribedPack['words']): void => {
    const { ordinal, tokens, length } = entry
    for (const text of entry.filters) findTerm(text, '').entries.push(countEntries())
    const occurrences = new Map<number, Occurrence>()
    for (const [text, occurrence] of entry.terms) {
      const term = findTerm(text, words.get(text) ?? '')
      term.entries.push(countEntries())
      if (ordinal >= 0 && isSectionTerm(occurrence)) term.sections += 1
      occurrences.set(term.id, occurrence)
    }
    for (const text of listKeyTerms(entry.terms, isFullTerm)) terms.get(text)!.keys.push(countEntries())
    entryRows.push(pack, ordinal + 1, tokens, data.length)
    data.addBytes(encodeVector({ length, occurrences }))
    if (ordinal < 0) return
    totals.sections += 1
    totals.words += length
  }
  for (const { pack, described, body = '', linked = { links: [] } } of packs) {
    const first = countEntries()
    // Filters get their numbers first.
    for (const { filters } of described.entries) for (const text of filters) findTerm(text, '')
    for (const entry of described.entries) addEntry(pack.number, entry, described.words)
    packRows.push(pack.number, first, described.entries.length, data.length)
    data.addText(JSON.stringify(pack))
    data.addText(body)
    data.addText(JSON.stringify(linked))
  }
  const rows: number[] = Array.from(terms, () => 0)
  const termRows: number[] = []
  for (const [text, { id, words, sections, entries, keys }] of [...terms].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    rows[id - 1] = termRows.length / SIZES.terms
    termRows.push(id, sections, data.length)
    data.addText(text)
    data.addText(words)
    data.addList(entries)
    data.addList(keys)
  }
  const counts = [terms.size, countEntries(), packRows.length / SIZES.packs]
  return data.finish([[totals.sections, totals.words, ...counts], termRows, rows, entryRows, packRows])
}

const encoder = new TextEncoder()

/** The data of an index, which grows. */
class Data {
  #bytes = new Uint8Array(65_536)
  length = 0

  addText(text: string): void {
    this.addBytes(encoder.encode(text))
  }

  addBytes(bytes: Uint8Array): void {
    this.#addNumber(bytes.length)
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  addList(numbers: readonly number[]): void {
    this.#addNumber(numbers.length)
    let before = 0
    for (const number of numbers) {
      this.#addNumber(number - before)
      before = number
    }
  }

  #addNumber(number: number): void {
    this.#reserve(5)
    let rest = number
    for (; rest > 127; rest >>>= 7) this.#bytes[this.length++] = (rest & 127) | 128
    this.#bytes[this.length++] = rest
  }

  #reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return
    const grown = new Uint8Array(2 * (this.length + count))
    grown.set(this.#bytes)
    this.#bytes = grown
  }

  /** Returns the index: tables, then the data. */
  finish(tables: readonly (readonly number[])[]): Uint8Array<ArrayBuffer> {
    const length = 4 * tables.reduce((sum, table) => sum + table.length, 0)
    const index = new Uint8Array(length + this.length)
    const view = new DataView(index.buffer)
    let at = 0
    for (const table of tables) for (const number of table) view.setUint32(4 * at++, number, true)
    index.set(this.#bytes.subarray(0, this.length), length)
    return index
  }
}
