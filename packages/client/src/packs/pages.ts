import type { Shape } from '../shapes.ts'
import { invalidResponseError, optionError, rethrow } from '../client-error.ts'
import {
  type Connection,
  load,
  FRESH,
  request,
  contextShape,
  jsonResource,
  listShape,
  type Query,
  searchShape,
  writePath,
  checkShape,
  damagedShape,
  downloadShape,
  parseJson,
  removedShape,
} from '../requests/load.ts'
import type { PackContext } from '../generated/responses.ts'
import type {
  CallOptions,
  Context,
  ContextQuestion,
  Freshness,
  Hit,
  ListedPack,
  ListOptions,
  Lock,
  Pinned,
  SearchOptions,
  DownloadEntry,
  DownloadItem,
  DownloadOptions,
} from '../types.ts'
import { nameSigner, PACK_LIMIT, verifyPackDocument } from './named-packs.ts'

interface Page<T> {
  readonly data: readonly T[]
  readonly meta: { readonly next: string | null; readonly next_cursor?: string | null }
}

/** Most entries that the pages of a search and of a list reach. */
const MAX_HITS = 1000
const MAX_LISTED = 10_000

export function searchPacks(
  connection: Connection,
  question: string,
  { maxTokens: max_tokens, limit: most = MAX_HITS, signal, ...filters }: SearchOptions = {},
): AsyncGenerator<Hit, void, undefined> {
  const query = { ...filters, q: question, max_tokens, limit: Math.min(most, 50) }
  return readPages(connection, '/search', query, searchShape, Math.min(most, MAX_HITS), { signal })
}

/** @throws {ClientError} also `invalid_option` for no question, or an empty list of packs */
export function getContext(
  connection: Connection,
  question: string,
  { packs: pack, signal, ...options }: ContextQuestion = {},
): Promise<Context> {
  const isText: boolean = typeof question === 'string'
  if (!isText) throw optionError('question', 'a string')
  if (pack?.length === 0) throw optionError('packs', 'a list of one or more names')
  const path = writePath('/context', { ...options, q: question, pack })
  return load(connection, jsonResource<PackContext>(path, contextShape), { signal })
}

export function listPacks(
  connection: Connection,
  { maxTokens: max_tokens, signal, ...filters }: ListOptions = {},
): AsyncGenerator<ListedPack, void, undefined> {
  const query = { ...filters, max_tokens, limit: 100 }
  return readPages(connection, '/packs', query, listShape, MAX_LISTED, { signal })
}

/**
 * With a lock nothing else can be read.
 * @throws {ClientError} the errors of the lock
 */
export async function* markPinned<T extends Pinned>(
  entries: AsyncIterable<T>,
  getLock: () => Promise<Lock | undefined>,
  findVersion: (entry: T) => {
    readonly slug: string
    readonly version: string
    readonly pack_digest?: string | null
  },
): AsyncGenerator<T, void, undefined> {
  const packs = (await getLock().catch(rethrow))?.packs
  for await (const entry of entries) {
    const { slug, version, pack_digest } = findVersion(entry)
    const pin = packs && Object.hasOwn(packs, slug) ? packs[slug] : undefined
    const pinned =
      pin?.version === version && (!pack_digest || !pin.pack_digest || pack_digest === pin.pack_digest)
    yield packs ? { ...entry, pinned } : entry
  }
}

async function* readPages<T extends Freshness>(
  connection: Connection,
  path: string,
  query: Query & { readonly limit: number },
  shape: Shape,
  most: number,
  options: CallOptions,
): AsyncGenerator<T, void, undefined> {
  if (!(Number.isSafeInteger(most) && most >= 1)) throw optionError('limit', 'a whole number from 1')
  let left = most
  let place: Query = {}
  for (let page = 1; page <= Math.ceil(most / query.limit); page++) {
    const resource = jsonResource<Page<T>>(writePath(path, { ...query, ...place }), shape)
    const { data, meta, stale, age } = await load(connection, resource, options)
    for (const entry of data.slice(0, left)) yield { ...entry, stale, age }
    left -= data.length
    if (left <= 0 || meta.next === null) return
    // A list continues after its last pack; hits, and a list of an older server, have page numbers.
    place = meta.next_cursor ? { cursor: meta.next_cursor } : { page: page + 1 }
  }
}

/** Most bytes of a page of a download: 32 MiB and one pack. */
const DOWNLOAD_LIMIT = 2 * PACK_LIMIT

interface DownloadPage {
  readonly data: readonly { readonly removed?: unknown; readonly id: string; readonly slug: string }[]
  readonly meta: {
    readonly count: number
    readonly next_cursor: string | null
    readonly resume_cursor?: string
    readonly damaged?: readonly { readonly slug: string; readonly version: string | null }[]
  }
}

/**
 * A page is JSON and not NDJSON, because JSON that parses is complete; its packs are verified
 * before the first one is yielded.
 */
export async function* downloadPages(
  connection: Connection,
  { updatedSince: updated_since, cursor, signal, ...filters }: DownloadOptions = {},
): AsyncGenerator<DownloadEntry, void, undefined> {
  for (;;) {
    const query = { ...filters, updated_since, include: 'document', cursor }
    const resource = {
      path: writePath('/packs/download', query),
      limit: DOWNLOAD_LIMIT,
      isBulk: true,
      parse: (text: string) => readDownloadPage(text, connection.signers).catch(rethrow),
    }
    const { entries, meta } = (await request(connection, resource, { signal }))!.value
    const next = meta.next_cursor ?? meta.resume_cursor
    const last = entries.at(-1)
    for (const entry of entries) yield { ...entry, cursor: entry === last ? next : cursor }
    if (meta.next_cursor === null || next === cursor) return
    cursor = next
  }
}

async function readDownloadPage(text: string, signers: readonly string[] | undefined) {
  const { data, meta } = parseJson<DownloadPage>(text, downloadShape)
  const { count, damaged = [] } = meta
  if (count !== data.length) throw invalidResponseError('its count is wrong')
  checkShape(damaged, damagedShape)
  const entries: DownloadItem[] = []
  for (const item of data) {
    if (item.removed) {
      checkShape(item, removedShape)
      entries.push({ kind: 'removed', id: item.id, slug: item.slug })
    } else
      entries.push({
        kind: 'pack',
        pack: { ...nameSigner(await verifyPackDocument(item), signers), ...FRESH },
      })
  }
  for (const { slug, version } of damaged) entries.push({ kind: 'damaged', slug, version })
  return { entries, meta }
}
