import { basename, dirname, join, resolve } from 'node:path'
import type { Lock, Pin } from '@packs/client'
import { readLock, updateLock } from '@packs/client/node'
import { fileError, usageError } from '../cli-error.ts'
import { formatPath, writeNote } from '../output/terminal.ts'
import { outputError } from '../output/write-file.ts'
import { findUpward } from '../package-files.ts'

const NAME = 'packs.lock'
/** A wait for another program that is longer gets a message. */
const NOTE_MS = 1000

/** A lock, which need not exist. */
export interface LockPlace {
  /** Absolute. */
  readonly path: string
  /** In messages. */
  readonly shown: string
}

/** Returns the lock that was named, or the one in the nearest folder upward with a `package.json` or a lock, else in this folder. */
export function findLock(named: string | undefined): LockPlace {
  const cwd = process.cwd()
  if (named === '') throw usageError('the name of the lock is empty', 'name a file after --lock')
  const folder = findUpward(cwd, [NAME, 'package.json']) ?? cwd
  const path = named === undefined ? join(folder, NAME) : resolve(named)
  return { path, shown: formatPath(path, cwd) }
}

/** Reads a lock that must exist. @throws CliError `file_not_found`; ClientError `invalid_lock` */
export async function readPins({ path, shown }: LockPlace): Promise<Lock> {
  const lock = await readLock(path, shown)
  if (lock !== undefined) return lock
  throw fileError('file_not_found', shown, 'does not exist', 'pin packs with `pack add NAME`')
}

/**
 * Changes a lock in one step, also if other programs change it at the same time.
 *
 * @param change gets the lock as it is then
 * @throws CliError `output_failed`; ClientError `invalid_lock`
 */
export async function changePins(place: LockPlace, change: (lock: Lock) => Lock): Promise<void> {
  const note = setTimeout(() => {
    const guard = join(dirname(place.shown), `.${basename(place.shown)}.guard`)
    const left = `${guard} is removed if it was left for 10 seconds`
    writeNote(`another program is changing ${place.shown}, waiting for it; ${left}`)
  }, NOTE_MS)
  try {
    await updateLock(place.path, change, place.shown)
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall !== 'string') throw error
    throw outputError(place.shown, error as NodeJS.ErrnoException)
  } finally {
    clearTimeout(note)
  }
}

/** Returns the pin of a pack, or undefined if the lock does not have it. A slug may have the name of a property of all objects. */
export function findPin({ packs }: Lock, slug: string): Pin | undefined {
  return Object.hasOwn(packs, slug) ? packs[slug] : undefined
}

/** Checks that a lock has all packs. @throws ClientError `not_in_lock` */
export async function requirePins(lock: Lock, slugs: readonly string[], { shown }: LockPlace): Promise<void> {
  const missing = slugs.find((slug) => findPin(lock, slug) === undefined)
  if (missing === undefined) return
  const { ClientError } = await import('@packs/client')
  const known = Object.keys(lock.packs)
  const most = 10
  const rest = known.length > most ? ` and ${known.length - most} more` : ''
  const hint = known.length === 0 ? 'it has no packs' : `it has ${known.slice(0, most).join(', ')}${rest}`
  throw new ClientError('not_in_lock', `${shown} has no pack ${JSON.stringify(missing)}`, hint)
}
