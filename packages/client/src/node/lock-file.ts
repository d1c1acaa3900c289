import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseLock, serializeLock } from '../lock.ts'
import { LockError } from '../signer.ts'
import { ClientError } from '../client-error.ts'
import { readRegularFile, updateFile } from '@packs/files'
import type { Lock } from '../types.ts'

/** About 200,000 pins. */
const MAX_BYTES = 64 * 1024 * 1024
/** A guard is held for milliseconds. One of this age belongs to a killed program. */
const LEFT_MS = 10_000

/**
 * Reads a `packs.lock`.
 * @param shown name of the file in errors
 * @returns undefined if there is no such file
 * @throws {ClientError} `invalid_lock`, which names the file and the position in it
 * @example
 * const lock = await readLock('packs.lock')
 */
export async function readLock(path: string, shown: string = path): Promise<Lock | undefined> {
  return read(path, shown)
}

/**
 * Reads a `packs.lock` that must exist.
 * @throws {ClientError} `invalid_lock`, even if there is no such file
 * @example
 * const client = createClient({ lock: await requireLock('packs.lock'), cache })
 */
export async function requireLock(path: string): Promise<Lock> {
  const lock = await readLock(path)
  if (lock !== undefined) return lock
  const hint = 'Run pack add, or pass the path of another packs.lock.'
  throw new ClientError('invalid_lock', `${path} does not exist`, hint)
}

/**
 * Writes a `packs.lock` atomically: a reader gets the old pins or the new ones. A file with the
 * same pins is not touched.
 * @throws the error of the file system
 * @example
 * await writeLock('packs.lock', { lockfile_version: 1, packs: { [pack.slug]: createPin(pack, '^1') } })
 */
export async function writeLock(path: string, lock: Lock): Promise<void> {
  updateFile(path, Buffer.from(serializeLock(lock)))
}

/**
 * Changes a `packs.lock`, so that no pin is lost if several programs change it at the same time.
 * They take turns with a file beside the lock, `.packs.lock.guard`.
 * @param change returns the new lock. It gets the present lock, or one without packs, and may be
 *   called again
 * @param shown name of the file in errors
 * @returns the new lock
 * @throws {ClientError} `invalid_lock`; the error of the file system
 * @example
 * await updateLock('packs.lock', (lock) => ({ ...lock, packs: { ...lock.packs, [slug]: pin } }))
 */
export async function updateLock(
  path: string,
  change: (lock: Lock) => Lock,
  shown: string = path,
): Promise<Lock> {
  const guard = join(dirname(path), `.${basename(path)}.guard`)
  const token = randomUUID()
  for (;;) {
    if (!enter(guard, token)) await wait(5 + Math.random() * 20)
    else {
      // All of this is synchronous, so that no signal handler can interrupt it.
      try {
        const lock = change(read(path, shown) ?? { lockfile_version: 1, packs: {} })
        let isTurn = true
        // A program that was stopped here for a long time may have lost its turn.
        updateFile(path, Buffer.from(serializeLock(lock)), () => (isTurn = isOwn(guard, token)))
        if (isTurn) return lock
      } finally {
        if (isOwn(guard, token)) rmSync(guard, { force: true })
      }
    }
  }
}

function read(path: string, shown: string): Lock | undefined {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readRegularFile(path, MAX_BYTES).data)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    const { message } = error as Error
    const hint = 'Pass the path of a packs.lock that you can read.'
    throw new ClientError('invalid_lock', `${shown} cannot be read: ${message}`, hint, { cause: error })
  }
  try {
    return parseLock(text)
  } catch (error) {
    if (!(error instanceof LockError)) throw error
    // The message of a parser quotes the text, which may be of another file that a link leads to.
    const position =
      error.cause instanceof SyntaxError
        ? `: ${error.cause.message.split('"', 1)[0]!.replace(/(?<![,. ])[,. ]+$/, '')}`
        : ''
    const hint = error.hint.replaceAll('packs.lock', () => shown)
    throw new ClientError(error.code, `${shown}: ${error.message}${position}`, hint, { cause: error })
  }
}

/** Creates the guard; false if another program has it. An abandoned guard is removed. */
function enter(guard: string, token: string): boolean {
  try {
    writeFileSync(guard, token, { flag: 'wx' })
    return true
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    // On a full disk the file is created and stays empty.
    if (syscall === 'write') rmSync(guard, { force: true })
    if (code !== 'EEXIST') throw error
    const stats = statSync(guard, { throwIfNoEntry: false })
    if (stats !== undefined && Date.now() - stats.mtimeMs > LEFT_MS) rmSync(guard, { force: true })
    return false
  }
}

function isOwn(guard: string, token: string): boolean {
  try {
    return readFileSync(guard, 'utf8') === token
  } catch {
    return false
  }
}
