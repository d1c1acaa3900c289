import { isBetterWord, isFullTerm } from './analysis/terms.ts'
import {
  describePack,
  isSectionTerm,
  type DescribedPack,
  type SearchedPack,
  type SearchedSection,
} from './entries/describe-pack.ts'
import { encodeVector, listKeyTerms, type Vector } from './entries/vector.ts'
import type { EntryRow, FoundPack, FoundSection, SearchStore, TermRow, TextReader } from './store.ts'
import { matchText } from './text/match-text.ts'

/** A pack whose text is in memory. `sections` may be only some of the text's sections. */
export interface TextPack {
  readonly pack: SearchedPack & Omit<FoundPack, 'sections'> & { readonly sections: readonly TextSection[] }
  readonly body: string
}

type TextSection = FoundSection & SearchedSection

/**
 * Indexes packs in memory, for readers who may see all of their text.
 *
 * @example
 * const { store, texts } = indexTexts(packs)
 * const { hits } = await search(store, texts, { text: 'set a timeout', limit: 5, offset: 0, scope: 'full' })
 */
export function indexTexts(packs: readonly TextPack[]): {
  readonly store: SearchStore
  readonly texts: TextReader
} {
  const byNumber = new Map(packs.map((text) => [text.pack.number, text]))
  return {
    store: createMemoryStore(packs.map((text) => ({ pack: text.pack, described: describeText(text) }))),
    texts: {
      match({ number }, request) {
        const { pack, body } = byNumber.get(number)!
        const slice = (start: number, end: number): string => body.slice(start, end)
        return Promise.resolve(
          matchText({ ...pack, slice, length: body.length, visible: body.length }, request),
        )
      },
      read({ number }, ordinals) {
        const { pack, body } = byNumber.get(number)!
        const read = ordinals.map((ordinal): [number, string] => {
          const { start, end } = pack.sections[ordinal]!
          return [ordinal, body.slice(start, end)]
        })
        return Promise.resolve(new Map(read))
      },
    },
  }
}

/** Scales the whole pack's length up to all of its text if only some sections are present. */
function describeText({ pack, body }: TextPack): DescribedPack {
  const { entries, ...described } = describePack(pack, body, pack.sections)
  const read = pack.sections.reduce((sum, { start, end }) => sum + end - start, 0)
  const factor = body.length / Math.max(1, read)
  const scaled = entries.map((entry) =>
    entry.ordinal < 0 ? { ...entry, length: Math.round(factor * entry.length) } : entry,
  )
  return { ...described, entries: scaled }
}

export interface IndexedPack {
  readonly pack: FoundPack
  readonly described: DescribedPack
}

/**
 * Creates an in-memory store, such as for a folder of packs.
 *
 * @param packs In the order to index them.
 */
export function createMemoryStore(packs: readonly IndexedPack[]): SearchStore {
  const index = new MemoryIndex()
  for (const indexed of packs) index.add(indexed)
  const { terms, entries, totals } = index
  const sorted = [...terms.values()].toSorted((a, b) => compare(a.text, b.text))
  const found = new Map(packs.map(({ pack }) => [pack.number, pack]))
  const byPack = Map.groupBy(entries, ({ pack }) => pack)
  return {
    readTotals: () => Promise.resolve(totals),
    findTerms: (texts) => Promise.resolve(texts.flatMap((text) => terms.get(text) ?? [])),
    listTerms(prefix, limit) {
      const rows = sorted.filter(({ text }) => text.startsWith(prefix))
      return Promise.resolve(rows.toSorted((a, b) => b.sections - a.sections).slice(0, limit))
    },
    findEntries({ any, filters, maxTokens = Infinity, limit }) {
      const matched = new Set<number>()
      for (const all of any) for (const entry of index.intersect([...all, ...filters])) matched.add(entry)
      const rows = [...matched].toSorted((a, b) => b - a).map((entry) => entries[entry]!)
      return Promise.resolve(rows.filter(({ tokens }) => tokens <= maxTokens).slice(0, limit))
    },
    readEntries: (numbers, limit) =>
      Promise.resolve(numbers.flatMap((pack) => (byPack.get(pack) ?? []).slice(0, limit))),
    readPacks: (numbers) => Promise.resolve(numbers.flatMap((pack) => found.get(pack) ?? [])),
    findPacks(names) {
      const isNamed = ({ pack }: IndexedPack): boolean => names.includes(pack.slug) || names.includes(pack.id)
      return Promise.resolve(packs.filter(isNamed).map(({ pack }) => pack.number))
    },
  }
}

/** Terms, entries, and the entries of each term. */
class MemoryIndex {
  readonly terms = new Map<string, { -readonly [Key in keyof TermRow]: TermRow[Key] }>()
  readonly entries: EntryRow[] = []
  readonly totals = { sections: 0, words: 0 }
  readonly #postings = new Map<number, number[]>()

  add({ pack, described }: IndexedPack): void {
    const filters = described.filters.map((text) => this.#number(text, ''))
    for (const { ordinal, tokens, length, terms } of described.entries) {
      const occurrences = new Map(
        [...terms].map(([text, occurrence]) => {
          const id = this.#number(text, described.words.get(text) ?? '')
          if (ordinal >= 0 && isSectionTerm(occurrence)) this.terms.get(text)!.sections += 1
          return [id, occurrence] as const
        }),
      )
      const vector: Vector = { length, occurrences }
      const keys = listKeyTerms(terms, isFullTerm).map((text) => -this.terms.get(text)!.id)
      const postings = [...occurrences.keys(), ...keys, ...filters]
      for (const term of postings) this.#post(term)
      this.entries.push({ pack: pack.number, ordinal, tokens, vector: encodeVector(vector) })
      if (ordinal < 0) continue
      this.totals.sections += 1
      this.totals.words += length
    }
  }

  /** Returns the entries that have all terms, in indexing order. */
  intersect(terms: readonly number[]): readonly number[] {
    const lists = terms.map((term) => this.#postings.get(term) ?? [])
    const [shortest = [], ...others] = lists.toSorted((a, b) => a.length - b.length)
    return others.reduce<readonly number[]>(intersectSorted, shortest)
  }

  /** Returns the number of a term, and updates the word that is shown for it. */
  #number(text: string, word: string): number {
    const row = this.terms.get(text)
    if (row === undefined) {
      const id = this.terms.size + 1
      this.terms.set(text, { id, text, word, sections: 0 })
      return id
    }
    if (isBetterWord(word, row.word)) row.word = word
    return row.id
  }

  /** Adds the next entry to the list of a term. */
  #post(term: number): void {
    const list = this.#postings.get(term)
    if (list === undefined) this.#postings.set(term, [this.entries.length])
    else list.push(this.entries.length)
  }
}

/** @param a The shorter list. */
function intersectSorted(a: readonly number[], b: readonly number[]): readonly number[] {
  const both: number[] = []
  let low = 0
  for (const value of a) {
    let high = b.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (b[middle]! < value) low = middle + 1
      else high = middle
    }
    if (b[low] === value) both.push(value)
  }
  return both
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
