import type { OutlineSection, PackContext } from './generated/responses.ts'
import { shapeOfStatus, shapeOfUsage } from './generated/shapes.ts'
import type { Shape } from './shapes.ts'
import { loadOnce } from '@packs/codec/internal'
import { checkOptions, ClientError, createError, optionError, rethrow } from './client-error.ts'
import { getContext, type Hits, listPacks, markPinned, searchPacks } from './packs/pages.ts'
import { getPack, listVersions, getOutline, requireFull } from './packs/named-packs.ts'
import { request, jsonResource } from './requests/load.ts'
import { defaultPorts, mayCarryKey, type Ports, readUrl } from './requests/send-request.ts'
import type {
  CallOptions,
  Client,
  ClientOptions,
  ContextQuestion,
  Freshness,
  FullPack,
  PreviewPack,
  SearchRequest,
  Status,
  Usage,
  Cache,
  Lock,
} from './types.ts'
import { createMemoryCache, createStore } from './requests/store.ts'

/**
 * Creates a client for what only a catalog has: versions, downloads, usage. To ask its documents,
 * open them with `openDocs`.
 * @throws {ClientError} `invalid_option`, `insecure_url`, `invalid_lock`
 * @example
 * const client = createClient({ url: 'https://packs.example', key })
 * const [newest] = await client.packs.versions('tls-certificates@^1')
 */
export function createClient(options: ClientOptions): Client {
  const client = assembleClient(options)
  return {
    usage: (call) => client.usage(call),
    status: (call) => client.status(call),
    packs: client.packs,
  }
}

/** All requests of a catalog, with the options of the API. */
export interface CatalogClient extends Client {
  readonly getLock: () => Promise<Lock | undefined>
  readonly warn: Ports['warn']
  search(question: string, options?: SearchRequest): Promise<Hits>
  context(question: string, options?: ContextQuestion): Promise<PackContext & Freshness>
  outline(name: string, options?: CallOptions): Promise<readonly OutlineSection[]>
}

/** Creates a client with other ports, for tests. */
export function assembleClient(options: ClientOptions, ports: Ports = defaultPorts): CatalogClient {
  checkOptions('createClient', options, CLIENT_OPTIONS)
  const { connection, getLock } = readOptions(options, ports)

  /** Returns the whole pack if it must be verified, or the preview that a lock pins. */
  const findVerified = async (
    name: string,
    call?: CallOptions,
  ): Promise<FullPack | PreviewPack | undefined> => {
    const lock = await getLock()
    if (lock) return (await import('./packs/pinned-pack.ts')).getPinned(connection, lock, name, call)
    return connection.signers && requireFull(await getPack(connection, name, call))
  }
  const get = async (name: string, call?: CallOptions): Promise<FullPack | PreviewPack> =>
    (await findVerified(name, call)) ?? getPack(connection, name, call)
  const ask = async <T extends object>(path: string, shape: Shape, call?: CallOptions): Promise<T> =>
    (await request(connection, jsonResource<T>(path, shape), call))!.value
  return {
    getLock: () => getLock().catch(rethrow),
    warn: connection.ports.warn,
    search: (question, search) => searchPacks(connection, question, search),
    async context(question, asked) {
      // Passages come from the newest versions, and have no signature of their own.
      if (connection.signers) {
        const hint = 'Read packs, or open the documents without signers.'
        throw new ClientError('invalid_option', 'With signers a catalog gives no passages', hint)
      }
      return getContext(connection, question, asked)
    },
    outline: (name, call) => getOutline(connection, name, call).catch(rethrow),
    usage: (call) => ask<Usage>('/api/v1/usage', shapeOfUsage, call),
    status: (call) => ask<Status>('/api/status', shapeOfStatus, call),
    packs: {
      list: (list) => markPinned(listPacks(connection, list), getLock),
      get: (name, call) => get(name, call).catch(rethrow),
      versions: (name, call) => listVersions(connection, name, call).catch(rethrow),
      async *download(options) {
        const { downloadPages } = await import('./packs/download-pages.ts')
        yield* downloadPages(connection, options)
      },
    },
  }
}

/** The options of {@link createClient}. */
export const CLIENT_OPTIONS: readonly (keyof ClientOptions)[] = [
  'url',
  'key',
  'lock',
  'allowHttp',
  'fetch',
  'cache',
  'signers',
  'strict',
  'maxWait',
  'timeout',
  'retries',
]

const MEMORY_CACHE_BYTES = 32 * 1024 * 1024
/** The longest time of a timer. */
const MAX_TIMER = 2 ** 31 - 1

/** What the client uses of `@packs/client/node`. */
interface NodeEntry {
  readonly createFolderCache: () => Cache
  readonly requireLock: (path: string) => Promise<Lock>
}

/** @throws {ClientError} `invalid_option`, `insecure_url`, `invalid_lock` */
function readOptions(options: ClientOptions, defaults: Ports) {
  const {
    url,
    key,
    allowHttp,
    fetch,
    lock,
    cache,
    signers,
    strict = false,
    maxWait = 5000,
    timeout = 10_000,
    retries = 2,
  } = options
  // Called without `this`, as browsers demand; async, so that it never throws at once.
  const ports = fetch
    ? { ...defaults, fetch: async (...sent: Parameters<typeof fetch>) => fetch(...sent) }
    : defaults
  const base = url === undefined ? undefined : readUrl(url)
  const rules: Readonly<Partial<Record<keyof ClientOptions, readonly [isValid: boolean, rule: string]>>> = {
    url: [base !== '' && (url ?? lock) !== undefined, 'an http or https URL'],
    key: [key === undefined || /^[\x21-\x7e]+$/.test(key), 'a key'],
    signers: [signers === undefined || isKeyList(signers), 'a list of ids of keys'],
    fetch: [fetch === undefined || typeof fetch === 'function', 'a function'],
    maxWait: [isTime(maxWait), 'a time in milliseconds'],
    timeout: [isTime(6 * timeout) && timeout > 0, 'a time in milliseconds'],
    retries: [Number.isSafeInteger(retries) && retries >= 0, 'a whole number'],
  }
  for (const [name, [isValid, rule]] of Object.entries(rules)) {
    if (!isValid) throw optionError(name, rule)
  }
  if (key !== undefined && base !== undefined && allowHttp !== true && !mayCarryKey(base))
    throw createError('insecure_url', 'Over http, a key is sent to this machine only')

  const getCache = loadOnce(async () => {
    if (cache) return cache
    if (typeof lock === 'string') return (await importNode()).createFolderCache()
    return createMemoryCache({ bytes: MEMORY_CACHE_BYTES })
  })
  const getLock = loadOnce(async () => {
    if (lock === undefined) return undefined
    if (typeof lock === 'string') return (await importNode()).requireLock(lock)
    return (await import('./lock.ts')).checkLock(lock)
  })
  const store = createStore(getCache, `${base}\n${key}`, ports)
  return { connection: { base, key, timeout, retries, maxWait, store, ports, signers, strict }, getLock }
}

function isKeyList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((id) => /^[\w-]{43}$/.test(String(id)))
}

function isTime(milliseconds: number): boolean {
  return milliseconds >= 0 && milliseconds <= MAX_TIMER
}

/** The name is not a literal, so that bundlers for browsers do not try to resolve it. */
function importNode(): Promise<NodeEntry> {
  const name = '@packs/client/node'
  return import(/* @vite-ignore */ /* webpackIgnore: true */ name) as Promise<NodeEntry>
}
