import { closeSync, constants, futimesSync, lstatSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** How much a cache may hold, and for how long. */
export interface CacheLimits {
  /** An entry that was not used for this long is removed. */
  readonly unusedMs: number
  /** Total size; the entries used longest ago are removed first. */
  readonly bytes: number
  /** Time between two sweeps. */
  readonly intervalMs: number
}

const HOUR_MS = 60 * 60 * 1000
const LIMITS: CacheLimits = { unusedMs: 30 * 24 * HOUR_MS, bytes: 512 * 1024 * 1024, intervalMs: HOUR_MS }

/** Names of entries, and of those that a killed program left half-written. No other file is removed. */
const ENTRY_NAME = /^[0-9a-f]{64}$/
const TEMPORARY_NAME = /^[0-9a-f]{64}\.\d+-\d+\.tmp$/

/** On Windows the last is undefined, which counts as 0. */
const { O_CREAT, O_WRONLY, O_NOFOLLOW } = constants

/** The time of this file is that of the last sweep. */
const SWEPT_FILE = 'swept'

/**
 * Removes entries of a build cache that were not used for long, and more if it is too large. Does nothing if it was done less than
 * an hour ago. Never throws: another program may remove the same files.
 *
 * @param now time in milliseconds
 */
export function sweepCache(folder: string, now: number, limits: CacheLimits = LIMITS): void {
  try {
    const swept = join(folder, SWEPT_FILE)
    const last = lstatSync(swept, { throwIfNoEntry: false })?.mtimeMs
    if (last !== undefined && now - last < limits.intervalMs && last <= now) return
    // Other builds that end now leave the work to this one.
    const file = openSync(swept, O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
    futimesSync(file, now / 1000, now / 1000)
    closeSync(file)
    removeOld(folder, now, limits)
  } catch {
    return
  }
}

function removeOld(folder: string, now: number, { unusedMs, bytes }: CacheLimits): void {
  const names = readdirSync(folder)
  for (const name of names.filter((one) => TEMPORARY_NAME.test(one))) {
    const used = lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? now
    if (now - used > HOUR_MS) rmSync(join(folder, name), { force: true })
  }
  const entries = names
    .filter((name) => ENTRY_NAME.test(name))
    .flatMap((name) => {
      const stats = lstatSync(join(folder, name), { throwIfNoEntry: false })
      return stats === undefined ? [] : [{ name, size: stats.size, used: stats.mtimeMs }]
    })
    .toSorted((a, b) => b.used - a.used)
  let total = 0
  for (const { name, size, used } of entries) {
    total += size
    if (total > bytes || now - used > unusedMs) rmSync(join(folder, name), { force: true })
  }
}
