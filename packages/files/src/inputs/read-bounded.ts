import { createReadStream, fstatSync, statSync, type Stats } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { readRegularFile } from '../safe-files.ts'
import { FilesError, fileError } from '../files-error.ts'

export const MAX_SOURCE_BYTES: number = 16 * 1024 * 1024
/** JSON can make a source of {@link MAX_SOURCE_BYTES} six times as large, plus the preview. */
export const MAX_PACK_BYTES: number = 160 * 1024 * 1024

/** How long files are read before signals are handled, in milliseconds. */
const READ_MS = 10
let paused = 0

/**
 * Reads a file, a pipe or a device, or stdin for `-`, of at most `limit` bytes.
 * @param shown name of the file in messages
 * @throws FilesError `file_not_found`, `file_unreadable`, `not_a_file`, `file_too_large`
 */
export async function readBounded(path: string, limit: number, shown: string = path): Promise<Uint8Array> {
  const isStdin = path === '-'
  const file = isStdin ? '<stdin>' : shown
  try {
    if (performance.now() - paused > READ_MS) {
      // Lets signals be handled between files.
      await setImmediate()
      paused = performance.now()
    }
    const stats = isStdin ? findStdin() : statSync(path)
    if (stats?.isDirectory()) throw fileError('not_a_file', file, 'is a folder', 'name a file in it')
    if (!isStdin && stats?.isFile()) return readRegularFile(path, limit).data
    return await collect(isStdin ? process.stdin : createReadStream(path), limit, file)
  } catch (error) {
    if (error instanceof FilesError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw code === 'too_large' ? tooLargeError(file, limit) : readError(file, error as NodeJS.ErrnoException)
  }
}

/**
 * Reads a text as {@link readBounded} reads bytes; a byte order mark stays.
 * @throws FilesError also `file_unreadable` for what is not UTF-8
 */
export async function readText(path: string, limit: number, shown: string = path): Promise<string> {
  const bytes = await readBounded(path, limit, shown)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw fileError('file_unreadable', shown, 'is not UTF-8', 'name a text file in UTF-8', cause)
  }
}

export function readError(shown: string, error: NodeJS.ErrnoException): FilesError {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    return fileError('file_not_found', shown, 'does not exist', 'check the name', error)
  if (error.code === 'ELOOP')
    return fileError('broken_link', shown, 'is a symbolic link in a loop', 'repair the link', error)
  const reason = error.code === 'EACCES' || error.code === 'EPERM' ? 'permission denied' : error.message
  const details = { file: shown, cause: error }
  return new FilesError('file_unreadable', `cannot read ${shown}: ${reason}`, 'make it readable', details)
}

/** Node reads a folder on stdin as empty text, and a stdin that is closed. */
function findStdin(): Stats | undefined {
  try {
    return fstatSync(0)
  } catch {
    return undefined
  }
}

async function collect(stream: AsyncIterable<Uint8Array>, limit: number, file: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > limit) throw tooLargeError(file, limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLargeError(file: string, limit: number): FilesError {
  const size = `${limit / 1024 / 1024} MiB`
  return fileError('file_too_large', file, `is larger than ${size}`, `split it: the limit is ${size}`)
}
