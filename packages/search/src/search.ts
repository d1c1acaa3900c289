import { groupBy } from '@packs/codec/internal'
import type { ReadingScope } from './analysis/terms.ts'
import { checkQuery, parseQuery } from './query/parse-query.ts'
import { type RankedEntry, type RankedPack, rankQuery } from './ranking/rank-packs.ts'
import { showCorrection } from './query/resolve-query.ts'
import type { Field } from './ranking/score-entry.ts'
import type { FoundPack, FoundSection, SearchStore, TextReader } from './store.ts'
import { findMatches, type TextRequest } from './text/match-text.ts'

export interface SearchQuery {
  /** Words, a question, an identifier or a quoted phrase; 1 to 400 code points. */
  readonly text: string
  /** Slug of a domain. */
  readonly domain?: string | undefined
  readonly difficulty?: string | undefined
  /** Most tokens of a hit: of a section, or of content and header of a whole pack. */
  readonly maxTokens?: number | undefined
  readonly limit: number
  readonly offset: number
  /** Beyond the preview, preview readers see which words a section has, but not their order. */
  readonly scope: ReadingScope
}

/** A page of hits, best first. */
export interface SearchPage {
  readonly hits: readonly SearchHit[]
  /** The number of ranked hits on all pages; at most 1,000. */
  readonly total: number
  /** `null` if no word was replaced, or if a reader of previews sees no result with it. */
  readonly corrected: string | null
}

/** A section that matches; `null` for the pack as a whole. */
export interface SectionHit {
  readonly section: FoundSection | null
  /** At most 240 code points of the decoded text; `null` if the reader may not see any match. */
  readonly snippet: string | null
  /** Where words of the query occur. */
  readonly matched: readonly Field[]
}

export interface SearchHit extends SectionHit {
  readonly pack: FoundPack
  /** More sections of the pack; only its second hit has them. */
  readonly also: readonly SectionHit[]
}

/** Hits of one pack that are listed on their own, and those listed in `also`. */
const MAX_INLINE_HITS = 2
const MAX_ALSO = 10
/** Factor for a pack's second hit: if the first one lacks the answer, other packs may have it. */
const SECOND_FACTOR = 0.97

/**
 * No text of a query becomes part of a database expression.
 * @throws RangeError as `checkQuery` does
 */
export async function search(store: SearchStore, texts: TextReader, query: SearchQuery): Promise<SearchPage> {
  checkQuery(query.text)
  const parsed = parseQuery(query.text, query.scope)
  const { resolved, packs } = await rankQuery(store, texts, parsed, query)
  const hits = packs.flatMap(divideHits).toSorted((a, b) => b.own.score - a.own.score)
  const page = hits.slice(query.offset, query.offset + query.limit)
  const shown = await showHits(store, texts, page, { terms: resolved.terms, phrases: [], scope: query.scope })
  const seen = shown.flatMap((hit) => [
    hit.pack.title,
    ...[hit, ...hit.also].flatMap(({ section, snippet }) => [...(section?.path ?? []), snippet]),
  ])
  return { hits: shown, total: hits.length, corrected: showCorrection(resolved, query.scope, seen) }
}

interface DividedHit {
  readonly own: RankedEntry
  readonly also: readonly RankedEntry[]
}

function divideHits({ entries }: RankedPack): DividedHit[] {
  const own = entries.slice(0, MAX_INLINE_HITS)
  const also = entries.slice(MAX_INLINE_HITS, MAX_INLINE_HITS + MAX_ALSO)
  return own.map((entry, index) => ({
    own: { ...entry, score: entry.score * (index === 0 ? 1 : SECOND_FACTOR) },
    also: index === MAX_INLINE_HITS - 1 ? also : [],
  }))
}

/** Adds packs and snippets. A pack that has changed since it was ranked is dropped. */
async function showHits(
  store: SearchStore,
  texts: TextReader,
  page: readonly DividedHit[],
  request: Omit<TextRequest, 'ordinals'>,
): Promise<readonly SearchHit[]> {
  const all = page.flatMap(({ own, also }) => [own, ...also])
  const entries = groupBy(all, ({ pack }) => pack)
  const packs = new Map<number, FoundPack>()
  const snippets = new Map<string, string | null>()
  const readSnippets = async (pack: FoundPack): Promise<void> => {
    packs.set(pack.number, pack)
    const ordinals = entries.get(pack.number)!.map(({ ordinal }) => ordinal)
    const found = await texts.match(pack, { ...request, ordinals })
    for (const { ordinal, snippet } of found) snippets.set(`${pack.number} ${ordinal}`, snippet)
  }
  await Promise.all((await store.readPacks([...entries.keys()])).map(readSnippets))
  return page.flatMap(({ own, also }) => {
    const pack = packs.get(own.pack)
    if (pack === undefined) return []
    const show = ({ ordinal, matched }: RankedEntry): SectionHit => ({
      section: pack.sections[ordinal] ?? null,
      snippet: snippets.get(`${pack.number} ${ordinal}`) ?? null,
      matched,
    })
    return [{ pack, ...show(own), also: also.map(show) }]
  })
}

/** A part of a text, in UTF-16 units. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** In any form that counts as the same. Words with only white space between are one range. */
export function findQueryWords(text: string, query: string, scope: ReadingScope): readonly TextRange[] {
  const { words, joined } = parseQuery(query, scope)
  const all = [...joined, ...words.flatMap(({ parts, wholes }) => [...parts, ...wholes])]
  const terms = new Map(all.map((term) => [term, 1]))
  const ranges: { start: number; end: number }[] = []
  for (const { start, end } of findMatches(text, terms, scope)) {
    const last = ranges.at(-1)
    if (last !== undefined && text.slice(last.end, start).trim() === '') last.end = end
    else ranges.push({ start, end })
  }
  return ranges
}
