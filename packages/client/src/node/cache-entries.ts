import { createHash, createHmac } from 'node:crypto'
import { lstatSync, lutimesSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findRegularFile, replacePrivately } from '../files/index.ts'

/** Values under keys, each in a file of a folder. Any number of processes may use the folder. */
export interface CacheEntries {
  /**
   * Returns a value; `damaged` for an entry that does not hold what was written. It is removed.
   */
  readonly read: (folder: string, key: string) => Buffer | 'damaged' | undefined
  /**
   * Writes an entry, and removes old ones from time to time.
   *
   * @throws Error of the file system
   */
  readonly write: (folder: string, key: string, value: Uint8Array) => void
}

/** How much entries may hold, for how long, and how they are verified. */
export interface CacheRules {
  /** Most bytes of one entry. */
  readonly entryBytes: number
  /**
   * Most bytes of all entries; the least recently used are removed first. @default 536870912
   * (512 MiB)
   */
  readonly bytes?: number
  /** Milliseconds after which an entry that was not used is removed. @default 30 days */
  readonly unusedMs?: number
  /**
   * Returns the secret of the authentication codes (HMAC-SHA-256, RFC 2104) of entries; with a
   * secret that is known they are checksums. Without it an entry is the value alone, and the caller
   * must verify it.
   */
  readonly getSecret?: () => Uint8Array
}

const HOUR_MS = 60 * 60 * 1000
const UNUSED_MS = 30 * 24 * HOUR_MS
const MAX_BYTES = 512 * 1024 * 1024
/**
 * Shares of the byte limit: what a process writes before it removes old entries, and what it then
 * frees.
 */
const SWEEP_SHARE = 1 / 16
const FREE_SHARE = 1 / 10
/**
 * Names of entries, and of half-written ones of killed processes. No other file is removed.
 */
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

/**
 * Removes entries that were not used for a long time, and the oldest ones if the total is too
 * large.
 */
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
