import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Cache } from '../types.ts'
import {
  type CheckedFolder,
  openClientFolder,
  openPrivateFolder,
  readFile,
  writePrivately,
} from '../user-folder/index.ts'

/** A cache in a folder, which can say why it kept nothing. */
export interface FolderCache extends Cache {
  /** Says why the last `set` kept nothing, with the path concerned; undefined if it kept its value. */
  fault(): string | undefined
}

/** What of a folder cache can be changed. */
export interface FolderCacheOptions {
  /** Most bytes of all entries. @default 268435456 (256 MiB) */
  readonly bytes?: number | undefined
}

const MAX_BYTES = 256 * 1024 * 1024
/** An entry that was not read for this long is older than one that was just read. */
const RENEW_MS = 60 * 1000
/** A temporary file of this age belongs to a process that was killed. */
const LEFT_MS = 60 * 60 * 1000
/** Share of the limit that is written before the folder is measured again: other processes write too. */
const MEASURE_SHARE = 1 / 16
/** Share of the limit that is left after entries were removed. */
const LEFT_SHARE = 0.9

/**
 * Creates a cache in a folder, for any number of processes. The entries that were not used for the longest time are removed.
 *
 * A folder in which others can write is not used, because what is in it is taken for the answer of the catalog. No fault of
 * the folder is an error: the cache is then empty, and keeps nothing. `fault` says why.
 *
 * @param folder @default `packs/client` in the user's cache folder (`XDG_CACHE_HOME`, else `~/.cache`)
 * @example
 * const catalog = createClient({ url, key, cache: createFolderCache() })
 */
export function createFolderCache(folder?: string, options: FolderCacheOptions = {}): FolderCache {
  const { bytes: limit = MAX_BYTES } = options
  let opened: CheckedFolder | undefined
  let fault: string | undefined
  const open = (): CheckedFolder => {
    if (opened === undefined || opened.fault !== undefined)
      opened = folder === undefined ? openClientFolder() : openPrivateFolder(folder)
    return opened
  }
  const budget = createBudget(limit)
  /** Returns why the value was not kept. */
  const keep = (key: string, value: string): string | undefined => {
    const { folder: place, fault: why } = open()
    if (why !== undefined) return `${place} ${why}`
    const data = serializeEntry(key, value)
    if (data === undefined) return 'the text has half of a surrogate pair'
    if (data.length > limit) return `the text is larger than the cache may be, ${limit} bytes`
    const path = join(place, nameEntry(key))
    try {
      writeEntry(path, data)
    } catch (error) {
      // The folder may have been removed, or another one be in its place.
      opened = undefined
      return describeFailure(path, error)
    } finally {
      attempt(() => budget.spend(place, data.length))
    }
    return undefined
  }
  return {
    get(key) {
      const checked = attempt(open)
      if (checked === undefined || checked.fault !== undefined) return Promise.resolve(undefined)
      return Promise.resolve(attempt(() => readEntry(join(checked.folder, nameEntry(key)), key, limit)))
    },
    set(key, value) {
      try {
        fault = keep(key, value)
      } catch (error) {
        fault = error instanceof Error ? error.message : String(error)
      }
      return Promise.resolve()
    },
    fault: () => fault,
  }
}

/** Writes over links and special files too, and in the place of an empty folder. */
function writeEntry(path: string, data: Buffer): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) attempt(() => rmdirSync(path))
  writePrivately(path, data)
}

function describeFailure(path: string, error: unknown): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    return `${path} is a folder with files in it, in the place of an entry; remove it`
  }
  const { code = String(error) } = error as NodeJS.ErrnoException
  return `${dirname(path)} cannot be written to (${code})`
}

/** Returns undefined after an error: of the file system, or of a runtime that forbids to use it. */
function attempt<Result>(use: () => Result): Result | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}

const ENTRY = /^[0-9a-f]{64}$/
const TEMPORARY = /^[0-9a-f]{64}\..+\.tmp$/

function nameEntry(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/**
 * Returns the bytes of an entry: the SHA-256 of all that follows, the key and the value, with line ends between them. Undefined
 * for a text with half of a surrogate pair, which UTF-8 cannot have.
 */
function serializeEntry(key: string, value: string): Buffer | undefined {
  const text = `${key}\n${value}`
  return text.isWellFormed() ? Buffer.from(`${digest(Buffer.from(text))}\n${text}`) : undefined
}

/** Returns the value of an entry. One that is not sound is removed. */
function readEntry(path: string, key: string, limit: number): string | undefined {
  const data = readFile(path, limit, true, RENEW_MS)
  if (data === undefined) return undefined
  const start = data.indexOf('\n') + 1
  const rest = data.subarray(start)
  const text = rest.toString()
  if (data.toString('latin1', 0, start) === `${digest(rest)}\n` && text.startsWith(`${key}\n`)) {
    return text.slice(key.length + 1)
  }
  rmSync(path, { force: true })
  return undefined
}

function digest(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

interface Budget {
  /** Counts bytes that were written, and removes entries if all are too large together. */
  spend(folder: string, bytes: number): void
}

function createBudget(limit: number): Budget {
  let total = 0
  let unmeasured = Infinity
  return {
    spend(folder, bytes) {
      total += bytes
      unmeasured += bytes
      if (total <= limit && unmeasured <= limit * MEASURE_SHARE) return
      unmeasured = 0
      total = removeOldest(folder, limit)
    },
  }
}

/** Removes the oldest entries if all together are larger than the limit. Returns the bytes of those that are left. */
function removeOldest(folder: string, limit: number): number {
  const entries = readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const stats = attempt(() => lstatSync(path))
    if (stats === undefined || !stats.isFile()) return []
    if (TEMPORARY.test(name) && Date.now() - stats.mtimeMs > LEFT_MS) rmSync(path, { force: true })
    return ENTRY.test(name) ? [{ path, bytes: stats.size, time: stats.mtimeMs }] : []
  })
  let total = entries.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total <= limit) return total
  for (const { path, bytes } of entries.sort((a, b) => a.time - b.time)) {
    if (total <= limit * LEFT_SHARE) break
    rmSync(path, { force: true })
    total -= bytes
  }
  return total
}
