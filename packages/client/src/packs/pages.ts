import type { Shape } from '@packs/codec/verify'
import { createError } from '../client-error.ts'
import { type Connection, load } from '../requests/load.ts'
import { jsonResource, listShape, type Query, searchShape, writePath } from '../requests/shapes.ts'
import type { CallOptions, Freshness, Hit, ListedPack, ListOptions, SearchOptions } from '../types.ts'

/** A page of a list. */
interface Page<T> {
  readonly data: readonly T[]
  readonly meta: { readonly next: string | null }
}

/** Most entries that pages of a search reach, and of a list. */
const MAX_HITS = 1000
const MAX_LISTED = 10_000

/** Yields the hits of a question. */
export function searchPacks(
  connection: Connection,
  question: string,
  { maxTokens: max_tokens, limit: most = MAX_HITS, signal, ...filters }: SearchOptions = {},
): AsyncGenerator<Hit, void, undefined> {
  const query = { ...filters, q: question, max_tokens, limit: Math.min(most, 50) }
  return readPages(connection, '/search', query, searchShape, Math.min(most, MAX_HITS), { signal })
}

/** Yields the packs of a list. */
export function listPacks(
  connection: Connection,
  { maxTokens: max_tokens, signal, ...filters }: ListOptions = {},
): AsyncGenerator<ListedPack, void, undefined> {
  const query = { ...filters, max_tokens, limit: 100 }
  return readPages(connection, '/packs', query, listShape, MAX_LISTED, { signal })
}

/** Yields the entries of pages, at most `most`. */
async function* readPages<T extends Freshness>(
  connection: Connection,
  path: string,
  query: Query & { readonly limit: number },
  shape: Shape,
  most: number,
  options: CallOptions,
): AsyncGenerator<T, void, undefined> {
  if (!(Number.isSafeInteger(most) && most >= 1))
    throw createError('invalid_option', 'The option limit is not a whole number from 1')
  let left = most
  for (let page = 1; page <= Math.ceil(most / query.limit); page++) {
    const resource = jsonResource<Page<T>>(writePath(path, { ...query, page }), shape)
    const { data, meta, stale, age } = await load(connection, resource, options)
    for (const entry of data.slice(0, left)) yield { ...entry, stale, age }
    left -= data.length
    if (left <= 0 || meta.next === null) return
  }
}
