import type { Difficulty } from '@packs/codec/pack'
import type { SearchHit, SearchQuery } from '@packs/search'
import { sql } from 'kysely'
import type { DamagedVersion } from '../catalog-error.ts'
import type { Catalog } from '../open-catalog.ts'
import { createFoundPack } from '../search/create-search-store.ts'
import type { PackPage, PackSummary } from '../types.ts'

/** Most packs found by title that follow the ranked hits while the index is being built. */
const MAX_WAITING = 100
/** Shorter words are in too many titles, such as `a` and `to`. */
const MIN_WORD = 4
/** Words that are looked for one by one, and packs of each. */
const MAX_WORDS = 8
const MAX_PER_WORD = 100

export interface PackSearchQuery extends Omit<SearchQuery, 'scope'> {
  readonly difficulty?: Difficulty | undefined
}

export interface TitleHits {
  readonly hits: readonly SearchHit[]
  /** All packs that match, on every page. */
  readonly total: number
  readonly damaged: readonly DamagedVersion[]
}

/**
 * Finds packs by the words of their titles, without an index of texts: those that have all words of
 * a query, ordered by title; if there are none, those that have most of them.
 */
export async function listTitleHits(catalog: Catalog, query: PackSearchQuery): Promise<TitleHits> {
  const page = await listByTitle(catalog, query)
  const found = page.total > 0 ? page : await listByMostWords(catalog, query)
  const rows = await readNumbers(catalog, found.packs)
  const hits = found.packs.flatMap((pack) => createTitleHit(pack, rows.get(pack.slug)))
  return { hits, total: found.total, damaged: found.damaged }
}

async function listByMostWords(catalog: Catalog, query: PackSearchQuery): Promise<PackPage> {
  const words = splitWords(query.text).filter(({ length }) => length >= MIN_WORD)
  const counts = new Map<string, { readonly pack: PackSummary; count: number }>()
  for (const text of new Set(words.slice(0, MAX_WORDS))) {
    const { packs } = await listByTitle(catalog, { ...query, text, limit: MAX_PER_WORD, offset: 0 })
    for (const pack of packs) {
      const known = counts.get(pack.id) ?? { pack, count: 0 }
      known.count += 1
      counts.set(pack.id, known)
    }
  }
  const ranked = [...counts.values()].toSorted((a, b) => b.count - a.count).map(({ pack }) => pack)
  const packs = ranked.slice(query.offset, query.offset + query.limit)
  return { packs, total: ranked.length, damaged: [] }
}

/** Finds packs by title whose latest version is not in the index; at most 100. */
export async function listWaitingHits(
  catalog: Catalog,
  query: PackSearchQuery,
): Promise<readonly SearchHit[]> {
  const { packs } = await listByTitle(catalog, { ...query, limit: MAX_WAITING, offset: 0 })
  const rows = await readNumbers(catalog, packs)
  return packs.flatMap((pack) => {
    const row = rows.get(pack.slug)
    return row?.indexed === row?.sequence ? [] : createTitleHit(pack, row)
  })
}

async function listByTitle(
  { packs }: Catalog,
  { text, domain, difficulty, maxTokens, limit, offset }: PackSearchQuery,
): Promise<PackPage> {
  const search = splitWords(text).join(' ')
  if (search === '') return { packs: [], total: 0, damaged: [] }
  return packs.list({ domain, difficulty, search, maxTokens, limit, offset })
}

/** Quotation marks and question marks are not part of a title's words. */
function splitWords(text: string): string[] {
  const words = text
    .split(/[\s\p{Cc}]+/u)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, ''))
  return words.filter((word) => word !== '')
}

interface PackNumbers {
  readonly slug: string
  readonly number: number
  readonly sequence: number
  /** The version in the index; `null` for none. */
  readonly indexed: number | null
}

async function readNumbers(
  { database }: Catalog,
  packs: readonly PackSummary[],
): Promise<ReadonlyMap<string, PackNumbers>> {
  if (packs.length === 0) return new Map()
  const query = sql<PackNumbers>`select slug, number, latest as sequence, indexed from packs
    where slug in (${sql.join(packs.map(({ slug }) => slug))}) and latest is not null`
  const { rows } = await query.execute(database.db)
  return new Map(rows.map((row) => [row.slug, row]))
}

function createTitleHit(pack: PackSummary, row: PackNumbers | undefined): SearchHit[] {
  if (row === undefined) return []
  const found = createFoundPack(pack, row, [])
  return [{ pack: found, section: null, snippet: null, matched: ['title'], also: [] }]
}

/** Words of a slug that are looked for one by one, and similar packs. */
const MAX_SLUG_WORDS = 3
const MAX_SIMILAR = 3

/**
 * Returns slugs of packs whose titles contain the words of an unknown slug, or one of its longest
 * words.
 *
 * @example
 * await listSimilarPacks(catalog.packs, 'tls-certificate') // ['tls-certificates']
 */
export async function listSimilarPacks(packs: Catalog['packs'], slug: string): Promise<readonly string[]> {
  const words = slug.split('-').toSorted((a, b) => b.length - a.length)
  for (const search of [words.join(' '), ...words.slice(0, MAX_SLUG_WORDS)]) {
    const found = await packs.list({ search, limit: MAX_SIMILAR, offset: 0 })
    if (found.packs.length > 0) return found.packs.map((pack) => pack.slug)
  }
  return []
}
