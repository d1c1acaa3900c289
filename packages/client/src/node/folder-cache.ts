import { lstatSync, lutimesSync, readdirSync, rmSync, rmdirSync } from 'node:fs'
import {
  type CheckedFolder,
  findRegularFile,
  openClientFolder,
  openPrivateFolder,
  replacePrivately,
} from '@packs/files'
import type { Cache } from '../types.ts'
import { createHash, createHmac } from 'node:crypto'
import { join } from 'node:path'

/** A cache in a folder that reports why it kept nothing. */
export interface FolderCache extends Cache {
  /** Why the last `set` kept nothing, with the path; undefined if it kept its value. */
  fault(): string | undefined
}

/** Options of a folder cache. */
export interface FolderCacheOptions {
  /** Most bytes of all entries. @default 268435456 (256 MiB) */
  readonly bytes?: number | undefined
}

const MAX_FOLDER_BYTES = 256 * 1024 * 1024

/**
 * Creates a cache in a folder for any number of processes; the least recently used entries go.
 *
 * A folder that others can write to is not used, because its contents are trusted like answers of
 * the catalog. A problem with the folder is never an error: the cache is then empty, and keeps
 * nothing. `fault` says why.
 * @param folder @default `packs/client` in the user's cache folder (`XDG_CACHE_HOME`, else
 *   `~/.cache`)
 * @example
 * const catalog = createClient({ url, key, cache: createFolderCache() })
 */
export function createFolderCache(folder?: string, options: FolderCacheOptions = {}): FolderCache {
  const { bytes: limit = MAX_FOLDER_BYTES } = options
  // Packs of a lock stay, however long they are not used. Only this user can write to the folder, so a checksum is enough.
  const entries = createCacheEntries({
    entryBytes: limit,
    bytes: limit,
    unusedMs: Infinity,
    getSecret: () => Buffer.from('known'),
  })
  let opened: CheckedFolder | undefined
  let fault: string | undefined
  const open = (): CheckedFolder => {
    if (opened === undefined || opened.fault !== undefined)
      opened = folder === undefined ? openClientFolder() : openPrivateFolder(folder)
    return opened
  }
  /** Returns why the value was not kept. */
  const keep = (key: string, value: string): string | undefined => {
    const { folder: path, fault: why } = open()
    if (why !== undefined) return `${path} ${why}`
    if (!value.isWellFormed()) return 'the text has half of a surrogate pair'
    const data = Buffer.from(value)
    if (data.length > limit) return `the text is larger than the cache limit of ${limit} bytes`
    try {
      entries.write(path, key, data)
    } catch (error) {
      // The folder may have been removed or replaced.
      opened = undefined
      return describeFailure(path, error as NodeJS.ErrnoException)
    }
    return undefined
  }
  return {
    get(key) {
      const checked = attempt(open)
      if (checked === undefined || checked.fault !== undefined) return Promise.resolve(undefined)
      const found = attempt(() => entries.read(checked.folder, key))
      return Promise.resolve(found === 'damaged' ? undefined : found?.toString())
    },
    set(key, value) {
      try {
        fault = keep(key, value)
      } catch (error) {
        fault = error instanceof Error ? error.message : String(error)
      }
      return Promise.resolve()
    },
    delete(key) {
      const checked = attempt(open)
      if (checked?.fault === undefined && checked !== undefined)
        attempt(() => rmSync(join(checked.folder, nameEntry(key)), { force: true }))
      return Promise.resolve()
    },
    fault: () => fault,
  }
}

function describeFailure(folder: string, error: NodeJS.ErrnoException & { readonly dest?: string }): string {
  const { code = String(error), dest } = error
  if (dest !== undefined && lstatSync(dest, { throwIfNoEntry: false })?.isDirectory())
    return `${dest} is a folder with files where a cache entry should be; remove it`
  return `${folder} cannot be written to (${code})`
}

/** Values under keys, each in a file of a folder. Any number of processes may use the folder. */
export interface CacheEntries {
  /** `damaged` for an entry that does not hold what was written. It is removed. */
  readonly read: (folder: string, key: string) => Buffer | 'damaged' | undefined
  /**
   * Writes an entry, and removes old ones from time to time.
   * @throws Error of the file system
   */
  readonly write: (folder: string, key: string, value: Uint8Array) => void
}

/** How much entries may hold, for how long, and how they are verified. */
export interface CacheRules {
  /** Most bytes of one entry. */
  readonly entryBytes: number
  /** Most bytes of all entries; the least recently used go first. @default 536870912 (512 MiB) */
  readonly bytes?: number
  /** Milliseconds after which an entry that was not used is removed. @default 30 days */
  readonly unusedMs?: number
  /**
   * For authentication codes (HMAC-SHA-256, RFC 2104) of entries; a known secret gives checksums.
   * Without it an entry is the value alone, and the caller must verify it.
   */
  readonly getSecret?: () => Uint8Array
}

const HOUR_MS = 60 * 60 * 1000
const UNUSED_MS = 30 * 24 * HOUR_MS
const MAX_BYTES = 512 * 1024 * 1024
/** What a process writes before it removes old entries, and what it then frees. */
const SWEEP_SHARE = 1 / 16
const FREE_SHARE = 1 / 10
/** Entries, and half-written ones of killed processes. No other file is removed. */
const ENTRY = /^[0-9a-f]{64}$/
const TEMPORARY = /^\.?[0-9a-f]{64}\..+\.tmp$/
/** The modification time of this file is the time of the last sweep by any process. */
const SWEPT = 'swept'

/** Creates a cache of entries in folders, which the caller has checked. */
export function createCacheEntries(rules: CacheRules): CacheEntries {
  const { entryBytes, bytes = MAX_BYTES, unusedMs = UNUSED_MS, getSecret } = rules
  let unswept = 0

  const sign = (name: string, value: Uint8Array): string => {
    if (getSecret === undefined) return ''
    return `${createHmac('sha256', getSecret()).update(`${name}\n`).update(value).digest('hex')}\n`
  }
  const start = getSecret === undefined ? 0 : 65

  const sweepIfDue = (folder: string): void => {
    const swept = join(folder, SWEPT)
    const age = Date.now() - (lstatSync(swept, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    if (unswept <= bytes * SWEEP_SHARE && age >= 0 && age < HOUR_MS) return
    unswept = 0
    // Tells other processes not to sweep.
    replacePrivately(swept, new Uint8Array())
    sweep(folder, bytes, unusedMs)
  }

  return {
    read(folder, key) {
      const name = nameEntry(key)
      const path = join(folder, name)
      const found = findRegularFile(path, start + entryBytes, true)
      if (found === undefined) return undefined
      const value = found.data.subarray(start)
      if (found.data.toString('latin1', 0, start) !== sign(name, value)) {
        attempt(() => rmSync(path))
        return 'damaged'
      }
      // The folder may be read-only.
      if (Date.now() - found.stats.mtimeMs > HOUR_MS) attempt(() => lutimesSync(path, new Date(), new Date()))
      return value
    },
    write(folder, key, value) {
      const name = nameEntry(key)
      const path = join(folder, name)
      if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) attempt(() => rmdirSync(path))
      unswept += value.length
      try {
        replacePrivately(path, Buffer.concat([Buffer.from(sign(name, value)), value]))
      } finally {
        attempt(() => sweepIfDue(folder))
      }
    },
  }
}

function nameEntry(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** Removes what was not used for long, and the oldest if the total is too large. */
function sweep(folder: string, limit: number, unusedMs: number): void {
  const now = Date.now()
  const entries = readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const [isEntry, isTemporary] = [ENTRY.test(name), TEMPORARY.test(name)]
    // Another process may remove the same files.
    const stats = isEntry || isTemporary ? lstatSync(path, { throwIfNoEntry: false }) : undefined
    if (!stats?.isFile()) return []
    const isOld = now - stats.mtimeMs > (isEntry ? unusedMs : HOUR_MS)
    if (isOld) rmSync(path, { force: true })
    return isEntry && !isOld ? [{ path, bytes: stats.size, time: stats.mtimeMs }] : []
  })
  let total = entries.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total <= limit) return
  for (const { path, bytes } of entries.sort((a, b) => a.time - b.time)) {
    if (total <= limit * (1 - FREE_SHARE)) break
    rmSync(path, { force: true })
    total -= bytes
  }
}

/** Returns undefined on an error of the file system, or of a runtime that forbids its use. */
export function attempt<Result>(use: () => Result): Result | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}
