import type { Pack } from '@packs/codec/pack'
import { type ClientError, createError } from '../client-error.ts'
import { type Connection, jsonResource, request } from '../requests/load.ts'
import { fits, slug, version } from '../shapes.ts'
import type { Cache, CallOptions } from '../types.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Milliseconds that an answer may take: cached packs are used without it. */
const MAX_WAIT = 3000

interface PurgePage {
  readonly data: readonly {
    readonly slug: string
    readonly version: string
    readonly purged_at: string
    readonly reason: string
  }[]
  readonly meta: { readonly next: number; readonly more: boolean }
}

const purgeShape = {
  data: [{ slug, version, purged_at: 'string', reason: 'string' }],
  meta: { next: 'number', more: 'boolean' },
} as const

/** What is known of purges of a catalog. */
interface PurgeList {
  /** When it was read, or when the first pack was stored; milliseconds since 1970. */
  readonly at: number
  /** Cursor for later purges. */
  readonly after: number
  /** When and why, by `slug@version`. */
  readonly versions: Readonly<Record<string, string>>
}

/** In the cache, by the URL of the catalog. */
type PurgeLists = Readonly<Record<string, PurgeList>>

const KEY = 'purges'

async function readLists(cache: Cache): Promise<PurgeLists> {
  const lists = JSON.parse((await cache.get(KEY)) || '{}') as PurgeLists
  return fits(Object.values(lists), [{ at: 'number', after: 'number', versions: 'object' }]) ? lists : {}
}

/** The list that each connection has read, and when. */
const lists = new WeakMap<Connection, { readonly at: number; readonly list: Promise<PurgeList> }>()

/**
 * Refuses a pack of the cache that was purged, and deletes it. The list of purges is read again
 * when it is a day old. If that fails, the known one counts, with a warning.
 * @throws {ClientError} `purged_version`; with the option `strict`, why the list cannot be read
 */
export async function requireUnpurged(
  connection: Connection,
  pack: Pick<Pack, 'slug' | 'version' | 'pack_digest'>,
  { signal }: CallOptions = {},
): Promise<void> {
  const now = connection.ports.now()
  let read = lists.get(connection)
  if (read === undefined || now - read.at > HOUR) {
    read = { at: now, list: readList(connection, signal, connection.ports.maxPurgeAge) }
    // The next pack tries again.
    read.list.catch(() => lists.delete(connection))
    lists.set(connection, read)
  }
  const name = `${pack.slug}@${pack.version}`
  const { versions } = await read.list
  if (!Object.hasOwn(versions, name)) return
  const entry = `pack/${pack.pack_digest}`
  // Another cache than ours may have no way to delete an entry.
  await connection.store.use(async (cache) => cache.delete?.(entry) ?? cache.set(entry, ''), signal)
  throw createError('purged_version', `${name} was purged on ${versions[name]}`)
}

/** Remembers what was purged when the catalog refuses a pack as such, and rethrows the error. */
export async function learnPurges(connection: Connection, error: unknown): Promise<never> {
  if ((error as Partial<ClientError>).status === 410)
    await readList(connection, undefined, 0).catch(() => undefined)
  throw error
}

async function readList(connection: Connection, signal?: AbortSignal, maxAge = DAY): Promise<PurgeList> {
  const { base, ports, store, strict, timeout } = connection
  const known = (await store.use(readLists, signal)) ?? {}
  // Without a list of this catalog, what is known of others counts: the pack came from one of them.
  const own = known[base ?? ''] ?? mergeLists(Object.values(known))
  const age = ports.now() - own.at
  if (age < maxAge) return own
  try {
    if (base === undefined) throw createError('unreachable', 'No catalog is named')
    const asked = { ...connection, retries: 0, timeout: Math.min(timeout, MAX_WAIT) }
    const list = await readOn(asked, known[base] ?? NOTHING, signal)
    await store.use((cache) => cache.set(KEY, JSON.stringify({ ...known, [base]: list })), signal)
    return list
  } catch (error) {
    signal?.throwIfAborted()
    if (age < DAY) return own
    const { code, message, status } = error as ClientError
    const since = own.at === 0 ? '' : ` since ${new Date(own.at).toISOString().slice(0, 10)}`
    const fault = `list of purged versions was not read${since}: ${message[0]!.toLowerCase()}${message.slice(1)}`
    if (strict) throw createError(code, `The ${fault}; strict demands a newer one`, { status, cause: error })
    ports.warn(`Cached packs are used, but the ${fault}. Reach the catalog, or refuse them with strict`)
    return own
  }
}

/** Remembers when a catalog sent the first pack: until then nothing cached can have been purged. */
export async function noteContact({ base, ports, store }: Connection): Promise<void> {
  await store.use(async (cache) => {
    const known = await readLists(cache)
    const list = { ...NOTHING, at: ports.now() }
    if (!Object.hasOwn(known, base!)) await cache.set(KEY, JSON.stringify({ ...known, [base!]: list }))
  })
}

const NOTHING: PurgeList = { at: 0, after: 0, versions: {} }

function mergeLists(known: readonly PurgeList[]): PurgeList {
  const versions = Object.assign({}, ...known.map((list) => list.versions)) as PurgeList['versions']
  return { at: Math.max(0, ...known.map(({ at }) => at)), after: 0, versions }
}

async function readOn(connection: Connection, own: PurgeList, signal?: AbortSignal): Promise<PurgeList> {
  const versions = { ...own.versions }
  for (let { after } = own; ;) {
    const resource = jsonResource<PurgePage>(`/api/purged?after=${after}`, purgeShape)
    const { value } = (await request(connection, resource, { signal }))!
    for (const one of value.data)
      versions[`${one.slug}@${one.version}`] = `${one.purged_at.slice(0, 10)}: ${one.reason}`
    after = Math.max(after, value.meta.next)
    if (!value.meta.more) return { at: connection.ports.now(), after, versions }
  }
}
