import { basename, dirname, join, resolve } from 'node:path'
import { FilesError, formatPath } from '@packs/files'
import type { ClientError, FullPack, Lock, PreviewPack, VersionLine, Pin } from '@packs/client'
import type { CatalogClient } from '@packs/client/internal'
import { createFolderCache, errorAdvice, type FolderCache, readLock, updateLock } from '@packs/client/node'
import { packFields } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import type { Command } from 'commander'
import { addStatuses, CliError, usageError, fileError } from '../cli-error.ts'
import { writeNote, writeWarning } from '../output/terminal.ts'
import { outputError } from '../output/write-file.ts'
import { findUpward } from '../package-files.ts'

export const LOCK_NAME = 'packs.lock'
/** A wait for another program that is longer gets a message. */
const NOTE_MS = 1000

/** A lock, which need not exist. */
export interface LockLocation {
  readonly path: string
  readonly shown: string
}

/** Without a name, the lock is in the nearest folder upward with a `package.json` or a lock. */
export function findLock(named: string | undefined): LockLocation {
  const cwd = process.cwd()
  if (named === '') throw usageError('the name of the lock is empty', 'name a file after --lock')
  const folder = findUpward(cwd, [LOCK_NAME, 'package.json']) ?? cwd
  const path = named === undefined ? join(folder, LOCK_NAME) : resolve(named)
  return { path, shown: formatPath(path, cwd) }
}

export async function readPins({ path, shown }: LockLocation): Promise<Lock> {
  const lock = await readLock(path, shown)
  if (lock !== undefined) return lock
  throw fileError('file_not_found', shown, 'does not exist', 'pin packs with `pack add NAME`')
}

/** Changes a lock in one step, even if other programs change it at the same time. */
export async function changePins(location: LockLocation, change: (lock: Lock) => Lock): Promise<void> {
  const note = setTimeout(() => {
    const guard = join(dirname(location.shown), `.${basename(location.shown)}.guard`)
    const left = `${guard} is removed if it was left for 10 seconds`
    writeNote(`another program is changing ${location.shown}, waiting for it; ${left}`)
  }, NOTE_MS)
  try {
    await updateLock(location.path, change, location.shown)
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall !== 'string') throw error
    throw outputError(location.shown, error as NodeJS.ErrnoException)
  } finally {
    clearTimeout(note)
  }
}

/** A slug may equal the name of a property that every object has. */
export function findPin({ packs }: Lock, slug: string): Pin | undefined {
  return Object.hasOwn(packs, slug) ? packs[slug] : undefined
}

/** Without names, returns all packs. */
export async function choosePins(
  lock: Lock,
  slugs: readonly string[],
  { shown }: LockLocation,
): Promise<readonly string[]> {
  const missing = slugs.find((slug) => findPin(lock, slug) === undefined)
  const known = Object.keys(lock.packs)
  if (missing === undefined) return slugs.length === 0 ? known : [...new Set(slugs)]
  const { ClientError } = await import('@packs/client')
  const most = 10
  const rest = known.length > most ? ` and ${known.length - most} more` : ''
  const hint = known.length === 0 ? 'it has no packs' : `it has ${known.slice(0, most).join(', ')}${rest}`
  throw new ClientError('not_in_lock', `${shown} has no pack ${JSON.stringify(missing)}`, hint)
}

/** How `pack --help` describes the environment of these commands. */
export const CATALOG_HELP = `
--url or PACK_URL names the catalog. PACK_KEY has the API key of a Pro account; it is never an option, which other users could see. It is sent over https, and over http to this machine only, unless PACK_ALLOW_HTTP is 1.`

export interface CatalogOptions {
  readonly url?: string | undefined
}

/** Options of every command about the packs of a lock. */
export interface LockOptions extends CatalogOptions {
  readonly lock?: string
  readonly json?: boolean
}

interface OpenOptions extends CatalogOptions {
  /** Asks the catalog also for versions that are cached, because they may be signed by now. */
  readonly isFresh?: boolean
  /** Takes only what one of these keys signed. */
  readonly signers?: readonly string[]
  /** Reads the list of purged versions even if it was read within a day. */
  readonly readsPurges?: boolean
  /** Whether the list of purged versions must be known. */
  readonly strict?: boolean
}

export function addCatalogOption(command: Command): Command {
  return command.option('--url <address>', 'URL of the catalog; default: PACK_URL')
}

/** A catalog as commands use it. Its errors name the pack and what to do. */
export interface OpenCatalog {
  /** @param signer id of the key that must have signed the pack; undefined for any, or none */
  readonly get: (name: string, signer?: string) => Promise<FullPack | PreviewPack>
  readonly versions: (slug: string) => Promise<readonly VersionLine[]>
  readonly cache: FolderCache
}

/** @param lock its pins are served; then no catalog needs to be named */
export async function openCatalog(options: OpenOptions, lock?: Lock): Promise<OpenCatalog> {
  const address = options.url ?? process.env['PACK_URL']
  if (lock === undefined && !address)
    throw usageError('no catalog is named', 'name one with --url, or set PACK_URL')
  const open = (signers?: readonly string[]): ReturnType<typeof openClient> =>
    openClient({ ...options, url: address, ...(signers && { signers }) }, lock)
  const { client, cache } = await open()
  return {
    async get(name, signer) {
      const { client: asked } = signer === undefined ? { client } : await open([signer])
      return explain(name, () => asked.packs.get(name))
    },
    versions: (slug) => explain(slug, () => client.packs.versions(slug)),
    cache,
  }
}

export async function openClient(
  { url, isFresh, readsPurges, signers, strict }: OpenOptions,
  lock?: Lock,
): Promise<{ readonly client: CatalogClient; readonly cache: FolderCache }> {
  for (const [code, { exit = 'findings' }] of Object.entries(errorAdvice)) addStatuses({ [code]: exit })
  const { assembleClient, defaultPorts } = await import('@packs/client/internal')
  const cache = createFolderCache()
  const key = process.env['PACK_KEY'] || undefined
  // Packs still come from the cache, but no response of the catalog does.
  const get = async (entry: string): Promise<string | undefined> =>
    isFresh && entry.startsWith('response/') ? undefined : cache.get(entry)
  const allowHttp = process.env['PACK_ALLOW_HTTP'] === '1'
  const options = { url: url || undefined, key, allowHttp, cache: { ...cache, get }, lock, strict }
  const ports = { ...defaultPorts, warn: writeWarning, maxPurgeAge: readsPurges ? 0 : undefined }
  const create = (): CatalogClient => assembleClient({ ...options, ...(signers && { signers }) }, ports)
  return { client: await explain(undefined, create), cache }
}

/** Runs a call of the client, and makes its error one of this program. */
export async function explain<Result>(
  name: string | undefined,
  call: () => Result | Promise<Result>,
  reader: 'person' | 'publisher' = 'person',
): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    const { ClientError } = await import('@packs/client')
    if (!(error instanceof ClientError)) throw error
    if (error.cause instanceof FilesError) throw error.cause
    const message = error.message.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
    const isNamed =
      name === undefined || message.startsWith('the list of ') || message.includes(name.split('@')[0]!)
    const { code, status, requestId, retryAt } = error
    const details = { status, requestId, retryAt, cause: error }
    throw new ClientError(code, isNamed ? message : `${name}: ${message}`, adviseOn(error, reader), details)
  }
}

/** Gives advice in terms of this program, and says when a request may be repeated. */
export function adviseOn(
  { code, hint, retryAt, requestId }: ClientError,
  reader: 'person' | 'publisher' = 'person',
): string {
  const advice = Object.hasOwn(errorAdvice, code) ? errorAdvice[code]! : errorAdvice.unreachable
  const text = advice[reader] ?? advice.person ?? hint
  const when = retryAt === undefined ? '' : `; try again at ${formatTime(retryAt)}`
  const id = code === 'internal_error' && requestId !== undefined ? ` (request ${requestId})` : ''
  return `${when === '' ? text : text.replace(/^try again later; /, '')}${id}${when}`
}

/** Rounds up to seconds. */
function formatTime(time: Date): string {
  const seconds = new Date(Math.ceil(time.getTime() / 1000) * 1000)
  return `${seconds.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/**
 * Takes a pack from the cache, or else from the catalog.
 * @param catalog opened with the lock, if there is one
 * @param name slug, or slug@range
 */
export async function restorePack(
  { get, cache }: OpenCatalog,
  lock: Lock | undefined,
  name: string,
): Promise<{ readonly pack: Pack; readonly status: 'cached' | 'downloaded' }> {
  const pin = lock && findPin(lock, name.split('@')[0]!)
  const digest = pin?.pack_digest
  const isCached = digest !== undefined && (await cache.get(`pack/${digest}`)) !== undefined
  // The client has compared the digests.
  const pack = await get(name)
  if (pack.preview) throw await previewOnlyError(pack.slug)
  const fields = packFields.filter((key) => pack[key] !== undefined).map((key) => [key, pack[key]] as const)
  const document = Object.fromEntries(fields) as unknown as Pack
  return { pack: document, status: isCached ? 'cached' : 'downloaded' }
}

export async function previewOnlyError(slug: string): Promise<Error> {
  const { ClientError } = await import('@packs/client')
  const hint = 'set PACK_KEY to the key of a Pro account'
  return new ClientError('preview_only', `the account gets only a preview of ${slug}`, hint)
}

/** The cache may be full or unusable. */
export async function requireCached({ cache }: OpenCatalog, { slug, pack_digest }: Pack): Promise<void> {
  if ((await cache.get(`pack/${pack_digest}`)) !== undefined) return
  const reason = cache.fault() ?? 'another program removed it'
  const hint =
    'fix this, or set XDG_CACHE_HOME to a folder that you alone can write to; --out does without the cache'
  throw new CliError('cache_unusable', `the cache cannot keep ${slug}: ${reason}`, hint)
}
