import type { Shape } from '../shapes.ts'
import { rethrow } from '../client-error.ts'
import {
  type Connection,
  load,
  contextShape,
  jsonResource,
  listShape,
  type Query,
  searchShape,
  writePath,
} from '../requests/load.ts'
import type { PackContext, PackSummary, SearchHit } from '../generated/responses.ts'
import type {
  CallOptions,
  ContextQuestion,
  Freshness,
  ListedPack,
  ListOptions,
  Lock,
  SearchRequest,
} from '../types.ts'

interface Page<T> {
  readonly data: readonly T[]
  readonly meta: {
    readonly next: string | null
    readonly next_cursor?: string | null
    readonly query?: { readonly corrected: string | null }
  }
}

/** Most entries that the pages of a search and of a list reach. */
const MAX_HITS = 1000
const MAX_LISTED = 10_000

/** Results of a search, best first. */
export interface Hits {
  readonly hits: readonly SearchHit[]
  readonly corrected: string | null
  readonly stale: boolean
}

export async function searchPacks(
  connection: Connection,
  question: string,
  { limit = 10, signal, ...filters }: SearchRequest = {},
): Promise<Hits> {
  const query = { ...filters, q: question, limit: Math.min(limit, 50) }
  const hits: SearchHit[] = []
  let corrected: string | null = null
  let stale = false
  for await (const page of readPages<SearchHit>(connection, '/search', query, searchShape, MAX_HITS, {
    signal,
  })) {
    corrected ??= page.meta.query?.corrected ?? null
    stale ||= page.stale
    hits.push(...page.data)
    if (hits.length >= limit) break
  }
  return { hits: hits.slice(0, limit), corrected, stale }
}

export function getContext(
  connection: Connection,
  question: string,
  { packs: pack, signal, ...options }: ContextQuestion = {},
): Promise<PackContext & Freshness> {
  const path = writePath('/context', { ...options, q: question, pack })
  return load(connection, jsonResource<PackContext>(path, contextShape), { signal })
}

export async function* listPacks(
  connection: Connection,
  { maxTokens: max_tokens, signal, ...filters }: ListOptions = {},
): AsyncGenerator<ListedPack, void, undefined> {
  const query = { ...filters, max_tokens, limit: 100 }
  for await (const page of readPages<PackSummary>(connection, '/packs', query, listShape, MAX_LISTED, {
    signal,
  })) {
    const { data, stale, age } = page
    for (const entry of data) yield { ...entry, stale, age }
  }
}

/**
 * With a lock nothing else can be read.
 * @throws {ClientError} the errors of the lock
 */
export async function* markPinned(
  entries: AsyncIterable<ListedPack>,
  getLock: () => Promise<Lock | undefined>,
): AsyncGenerator<ListedPack, void, undefined> {
  const packs = (await getLock().catch(rethrow))?.packs
  for await (const entry of entries) {
    const pin = packs && Object.hasOwn(packs, entry.slug) ? packs[entry.slug] : undefined
    yield packs ? { ...entry, pinned: pin?.version === entry.version } : entry
  }
}

/** @param most entries that the pages reach */
async function* readPages<T>(
  connection: Connection,
  path: string,
  query: Query & { readonly limit: number },
  shape: Shape,
  most: number,
  options: CallOptions,
): AsyncGenerator<Page<T> & Freshness, void, undefined> {
  let place: Query = {}
  for (let page = 1; page <= Math.ceil(most / query.limit); page++) {
    const resource = jsonResource<Page<T>>(writePath(path, { ...query, ...place }), shape)
    const loaded = await load(connection, resource, options)
    yield loaded
    const { meta } = loaded
    if (meta.next === null) return
    // A list continues after its last pack; results, and a list of an older server, have page numbers.
    place = meta.next_cursor ? { cursor: meta.next_cursor } : { page: page + 1 }
  }
}
