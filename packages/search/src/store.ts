import type { Difficulty } from '@packs/codec/pack'
import type { LinkedText } from '@packs/codec/internal'
import type { ReadingScope } from './analysis/terms.ts'
import type { TextMatch, TextRequest } from './text/match-text.ts'

/** A term of the index. */
export interface TermRow {
  readonly id: number
  readonly text: string
  /** Words with this stem, as `mergeWords` writes them; empty for runs without spaces. */
  readonly words: string
  /** Number of sections with the term in their text or headings; 0 if it is only in titles. */
  readonly sections: number
}

/** An entry of the index. */
export interface EntryRow {
  /** Number of the pack. */
  readonly pack: number
  /** Index of the section; -1 for the pack as a whole. */
  readonly ordinal: number
  readonly tokens: number
  /** The output of `encodeVector`. */
  readonly vector: Uint8Array
}

/** A pack in a result, with its latest version. */
export interface FoundPack {
  readonly number: number
  /** Sequence number of the version. */
  readonly sequence: number
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly version: string
  /** `null` for readers of previews. */
  readonly pack_digest: string | null
  readonly domain_slug: string
  readonly difficulty: Difficulty
  /** URL of the page; absent if it is not known. */
  readonly url?: string
  readonly token_count: number
  readonly rosetta_tokens: number
  readonly uncompressed_estimate: number
  /** The sections of the indexed version, in order. */
  readonly sections: readonly FoundSection[]
}

/** A section of a pack. */
export interface FoundSection {
  readonly id: string
  readonly title: string
  readonly path: readonly string[]
  readonly tokens: number
}

/** Entries to find. */
export interface EntryQuery {
  /** All terms of one of these lists. A negative number means that it must be a key term. */
  readonly any: readonly (readonly number[])[]
  /** Terms that an entry must also have. */
  readonly filters: readonly number[]
  /** Maximum tokens of an entry. */
  readonly maxTokens: number | undefined
  readonly limit: number
}

/** An inverted index. `search` ranks what it finds, so that every store ranks alike. */
export interface SearchStore {
  /** Returns the number of sections and their total number of words. */
  readTotals(): Promise<{ readonly sections: number; readonly words: number }>
  /** Returns the rows of the terms that at least one entry has. */
  findTerms(texts: readonly string[]): Promise<readonly TermRow[]>
  /** Terms with a prefix, by descending number of sections, then by code point. */
  listTerms(prefix: string, limit: number): Promise<readonly TermRow[]>
  /** Returns the most recently indexed entries that match, newest first. */
  findEntries(query: EntryQuery): Promise<readonly EntryRow[]>
  /** Returns at most `limit` entries of each pack: the pack as a whole, then sections in order. */
  readEntries(packs: readonly number[], limit: number): Promise<readonly EntryRow[]>
  /** Returns packs by number, except those whose latest version is not the indexed one. */
  readPacks(packs: readonly number[]): Promise<readonly FoundPack[]>
  /** Returns the numbers of packs by slug or id, without those that are unknown. */
  findPacks(names: readonly string[]): Promise<readonly number[]>
}

/** Reads texts of packs, as far as the reader may see them. */
export interface TextReader {
  match(pack: FoundPack, request: TextRequest): Promise<readonly TextMatch[]>
  /** By index, without sections that the reader may not see whole. Links may have more numbers. */
  read(
    pack: FoundPack,
    ordinals: readonly number[],
    scope: ReadingScope,
  ): Promise<ReadonlyMap<number, LinkedText>>
}
