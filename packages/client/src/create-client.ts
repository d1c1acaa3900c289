import { shapeOfStatus, shapeOfUsage } from './generated/shapes.ts'
import { checkLock } from './lock.ts'
import type { Shape } from './shapes.ts'
import { isKey, loadOnce } from '@packs/codec/internal'
import { ClientError, createError, optionError, rethrow } from './client-error.ts'
import { downloadPages, getContext, listPacks, markPinned, searchPacks } from './packs/pages.ts'
import {
  getPack,
  getPinned,
  listVersions,
  getOutline,
  getSection,
  sectionNotFoundError,
  requireFull,
} from './packs/named-packs.ts'
import { FRESH, join, request, jsonResource } from './requests/load.ts'
import { defaultPorts, type Ports } from './requests/send-request.ts'
import type {
  CallOptions,
  Client,
  ClientOptions,
  ClientPrompt,
  FullPack,
  Outline,
  PreviewPack,
  PromptOptions,
  Section,
  SectionOptions,
  Status,
  Usage,
  Cache,
  Lock,
} from './types.ts'
import { createMemoryCache, createStore } from './requests/store.ts'

/**
 * Creates a client of a catalog.
 * @throws {ClientError} `invalid_option`, `insecure_url`, `invalid_lock`
 * @example
 * const client = createClient({ url: 'https://packs.example', key })
 * const { text, rosetta } = await client.prompt(['tls-certificates@^1', 'http-status-codes'], {
 * budget: 8000 })
 */
export function createClient(options: ClientOptions): Client {
  return assembleClient(options, defaultPorts)
}

/** Creates a client with other ports, for tests. */
export function assembleClient(options: ClientOptions, ports: Ports): Client {
  const { connection, getLock } = readOptions(options, ports)

  /** Returns the whole pack if it must be verified, or the preview that a lock pins. */
  const findVerified = async (
    name: string,
    call?: CallOptions,
  ): Promise<FullPack | PreviewPack | undefined> => {
    const lock = await getLock()
    if (lock) return getPinned(connection, lock, name, call)
    return connection.signers && requireFull(await getPack(connection, name, call))
  }
  const get = async (name: string, call?: CallOptions): Promise<FullPack | PreviewPack> =>
    (await findVerified(name, call)) ?? getPack(connection, name, call)
  const ask = async <T extends object>(path: string, shape: Shape, call?: CallOptions): Promise<T> =>
    (await request(connection, jsonResource<T>(path, shape), call))!.value
  // The codec's modules for sections and prompts are large, so they are loaded on demand.
  const outline = async (name: string, call?: CallOptions): Promise<Outline> => {
    const pack = await findVerified(name, call)
    if (!pack || pack.preview) return getOutline(connection, pack ? nameVersion(pack) : name, call)
    const { outlinePack } = await import('./packs/pack-sections.ts')
    return { ...(await outlinePack(pack)), ...join(FRESH, pack) }
  }
  const cut = async (name: string, section: string, call?: SectionOptions): Promise<Section> => {
    const pack = await findVerified(name, call)
    if (!pack || pack.preview) return getSection(connection, pack ? nameVersion(pack) : name, section, call)
    const { cutSection } = await import('./packs/pack-sections.ts')
    const found = await cutSection(pack, section, call?.subtree)
    if (!found) throw sectionNotFoundError()
    return { ...found, ...join(FRESH, pack) }
  }

  return {
    search: (question, search) =>
      markPinned(searchPacks(connection, question, search), getLock, ({ pack }) => pack),
    async context(question, asked) {
      // Passages come from the newest versions, and have no signature of their own.
      if (connection.signers || (await getLock())) {
        const hint = 'Read sections, or run pack context --lock.'
        throw new ClientError('invalid_option', 'With a lock or signers there is no context', hint)
      }
      return getContext(connection, question, asked)
    },
    prompt: (names, prompt) => composePrompt(get, names, prompt).catch(rethrow),
    usage: (call) => ask<Usage>('/api/v1/usage', shapeOfUsage, call),
    status: (call) => ask<Status>('/api/status', shapeOfStatus, call),
    packs: {
      list: (list) => markPinned(listPacks(connection, list), getLock, (pack) => pack),
      get: (name, call) => get(name, call).catch(rethrow),
      versions: (name, call) => listVersions(connection, name, call).catch(rethrow),
      outline: (name, call) => outline(name, call).catch(rethrow),
      section: (name, section, call) => cut(name, section, call).catch(rethrow),
      download: (download) => downloadPages(connection, download),
    },
  }
}

function nameVersion({ slug, version }: PreviewPack): string {
  return `${slug}@${version}`
}

/** Composes verified documents. Loads the composer and its tokenizer on demand. */
async function composePrompt(
  get: Client['packs']['get'],
  names: readonly string[],
  options: PromptOptions = {},
): Promise<ClientPrompt> {
  const isList: boolean = Array.isArray(names)
  if (!isList) throw createError('invalid_name', 'It is not a list of names')
  const packs = await Promise.all(names.map(async (name) => requireFull(await get(name, options))))
  const { signal, ...settings } = options
  signal?.throwIfAborted()
  const { composePrompt: compose } = await import('@packs/codec/compress')
  const prompt = await compose(packs, settings)
  signal?.throwIfAborted()
  const from = packs
    .slice(0, prompt.packs)
    .map(({ slug, version, pack_digest }) => ({ slug, version, pack_digest }))
  return { ...prompt, from, ...packs.reduce(join, FRESH) }
}

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
    url: [base !== '' && (url ?? lock) !== undefined, url === undefined ? 'set' : 'an http or https URL'],
    key: [key === undefined || /^[\x21-\x7e]+$/.test(key), 'a key'],
    signers: [signers === undefined || isKeyList(signers), 'a list of ids of keys'],
    maxWait: [isTime(maxWait), 'a time in milliseconds'],
    timeout: [isTime(6 * timeout) && timeout > 0, 'a time in milliseconds'],
    retries: [Number.isSafeInteger(retries) && retries >= 0, 'a whole number'],
  }
  for (const [name, [isValid, rule]] of Object.entries(rules)) {
    if (!isValid) throw optionError(name, rule)
  }
  if (key !== undefined && base !== undefined && allowHttp !== true && !mayCarryKey(base))
    throw createError('insecure_url', 'Over http, a key is sent to this machine only')
  try {
    if (lock !== undefined && typeof lock !== 'string') checkLock(lock)
  } catch (error) {
    rethrow(error)
  }

  const getCache = loadOnce(async () => {
    if (cache) return cache
    if (typeof lock === 'string') return (await importNode()).createFolderCache()
    return createMemoryCache({ bytes: MEMORY_CACHE_BYTES })
  })
  const getLock = loadOnce(async () =>
    typeof lock === 'string' ? (await importNode()).requireLock(lock) : lock,
  )
  const store = createStore(getCache, `${base}\n${key}`, ports)
  return { connection: { base, key, timeout, retries, maxWait, store, ports, signers }, getLock }
}

/**
 * Tells whether a key may be sent to a URL: over https, or over http to 127.0.0.0/8, `[::1]` and
 * `localhost`, which do not leave this machine.
 * @example
 * mayCarryKey('http://127.0.0.1:8080') // true
 * mayCarryKey('http://packs.example') // false
 */
export function mayCarryKey(url: string): boolean {
  if (!URL.canParse(url)) return false
  // The parser writes each form of an IPv4 address, such as 127.1, as four decimal numbers.
  const { protocol, hostname } = new URL(url)
  const isLoopback = /^(?:127(?:\.\d+){3}|\[::1\]|localhost)$/.test(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback)
}

function isKeyList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isKey)
}

function isTime(milliseconds: number): boolean {
  return milliseconds >= 0 && milliseconds <= MAX_TIMER
}

/** Returns a URL without `/api/v1` and trailing slashes; empty if it cannot be used. */
function readUrl(url: string): string {
  if (!URL.canParse(url)) return ''
  const { href, origin, pathname } = new URL(url)
  // Neither contains a password, a query or a fragment.
  if (!/^https?:/.test(href) || href !== origin + pathname) return ''
  return origin + pathname.replace(/(?<!\/)(?:\/+api(?:\/v1)?)?\/*$/, '')
}

/** The name is not a literal, so that bundlers for browsers do not try to resolve it. */
function importNode(): Promise<NodeEntry> {
  const name = '@packs/client/node'
  return import(/* @vite-ignore */ /* webpackIgnore: true */ name) as Promise<NodeEntry>
}
