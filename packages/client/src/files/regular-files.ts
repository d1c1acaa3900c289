import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A file as it was when it was read. */
export interface ReadFile {
  readonly data: Buffer
  readonly stats: Stats
}

/** On Windows the last two are undefined, which counts as 0. */
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
const CHUNK_BYTES = 64 * 1024

/**
 * Reads a regular file, and never more than the limit, even if it grows meanwhile.
 *
 * @param limit most bytes
 * @param isLinkRefused whether it is an error if the path is a link
 * @throws Error of the file system; with the code `not_a_file` for a pipe or a device, `too_large`
 */
export function readRegularFile(path: string, limit: number, isLinkRefused = false): ReadFile {
  const file = openSync(path, O_RDONLY | O_NONBLOCK | (isLinkRefused ? O_NOFOLLOW : 0))
  try {
    const stats = fstatSync(file)
    // Reading a folder fails with the error of the system.
    if (!stats.isFile() && !stats.isDirectory()) throw fileError('not_a_file', 'it is not a file')
    return { data: readUpTo(file, stats.size, limit), stats }
  } finally {
    closeSync(file)
  }
}

function readUpTo(file: number, expected: number, limit: number): Buffer {
  const chunks: Buffer[] = []
  let length = 0
  for (let size = expected + 1; Math.max(expected, length) <= limit;) {
    const chunk = Buffer.allocUnsafe(size)
    const read = readSync(file, chunk)
    if (read === 0) return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    chunks.push(chunk.subarray(0, read))
    length += read
    // One byte tells whether a file that has not grown ends here.
    size = length === expected ? 1 : CHUNK_BYTES
  }
  throw fileError('too_large', 'it is too large')
}

function fileError(code: 'not_a_file' | 'too_large', message: string): Error {
  return Object.assign(new Error(message), { code })
}

/**
 * Reads a regular file as {@link readRegularFile} does, or returns undefined on any error.
 */
export function findRegularFile(path: string, limit: number, isLinkRefused = false): ReadFile | undefined {
  try {
    return readRegularFile(path, limit, isLinkRefused)
  } catch {
    return undefined
  }
}

/**
 * Writes a file atomically: no reader ever sees a part of it. Its mode and links to it are kept. A
 * file that already holds these bytes is not touched. Devices and pipes are written to directly.
 *
 * All of this is synchronous, so that no signal handler can interrupt it.
 *
 * @param isWanted called before the last step; the file stays unchanged if it returns false
 * @returns whether the file was written
 * @throws Error of the file system
 */
export function updateFile(path: string, data: Uint8Array, isWanted: () => boolean = () => true): boolean {
  const existing = statSync(path, { throwIfNoEntry: false })
  if (existing !== undefined && !existing.isFile() && !existing.isDirectory()) {
    writeFileSync(path, data)
    return true
  }
  if (existing?.isFile() && existing.size === data.length && readFileSync(path).equals(data)) return false
  return replaceFile(existing ? realpathSync(path) : path, data, existing, isWanted)
}

/**
 * Atomically replaces what is at a path, even a link, after flushing the bytes to disk.
 *
 * @param existing the present file, whose mode the new one gets
 * @param isWanted called before the last step; nothing is replaced if it returns false
 * @returns whether it was replaced
 * @throws Error of the file system
 */
export function replaceFile(
  path: string,
  data: Uint8Array,
  existing?: Stats,
  isWanted: () => boolean = () => true,
): boolean {
  const mode = existing ? existing.mode & 0o777 : 0o666
  return finishFile(path, data, { mode, isFlushed: true }, (draft) => {
    const isReplaced = isWanted()
    if (isReplaced) renameSync(draft, path)
    return isReplaced
  })
}

const PRIVATE = { mode: 0o600, isFlushed: false }

/**
 * Atomically replaces what is at a path with a file that only this user can read.
 *
 * @throws Error of the file system
 */
export function replacePrivately(path: string, data: Uint8Array): void {
  finishFile(path, data, PRIVATE, (draft) => renameSync(draft, path))
}

/**
 * Atomically creates a file that only this user can read: if several programs create it at the same
 * time, one succeeds.
 *
 * @throws Error of the file system: `EEXIST` if the path exists
 */
export function createPrivately(path: string, data: Uint8Array): void {
  finishFile(path, data, PRIVATE, (draft) => linkSync(draft, path))
}

/** Writes a file under a temporary name, in the folder where `finish` puts it. */
function finishFile<T>(
  path: string,
  data: Uint8Array,
  { mode, isFlushed }: { readonly mode: number; readonly isFlushed: boolean },
  finish: (draft: string) => T,
): T {
  const unique = Math.random().toString(36).slice(2)
  const draft = join(dirname(path), `.${basename(path)}.${unique}.tmp`)
  const file = openSync(draft, 'wx', mode)
  try {
    try {
      writeFileSync(file, data)
      if (isFlushed) fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return finish(draft)
  } finally {
    rmSync(draft, { force: true })
  }
}
