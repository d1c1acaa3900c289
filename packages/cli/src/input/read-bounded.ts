import { createReadStream, fstatSync, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { CliError } from '../cli-error.ts'

/** Maximum size of a source in bytes. */
export const MAX_SOURCE_BYTES: number = 16 * 1024 * 1024
/** Maximum size of a pack file in bytes: JSON can make a source of {@link MAX_SOURCE_BYTES} six times as large, plus the preview. */
export const MAX_PACK_BYTES: number = 160 * 1024 * 1024

/**
 * Reads a file, or stdin for `-`, of at most `limit` bytes.
 *
 * @param shown name of the file in messages
 * @throws CliError `file_not_found`, `file_unreadable`, `not_a_file`, `file_too_large`
 */
export async function readBounded(path: string, limit: number, shown: string = path): Promise<Uint8Array> {
  if (path === '-') {
    if (isStdinFolder()) throw notAFileError('<stdin>')
    return collect(process.stdin, limit, '<stdin>')
  }
  const stats = await stat(path).catch((error: unknown) => {
    throw readError(shown, error as NodeJS.ErrnoException)
  })
  if (stats.isDirectory()) throw notAFileError(shown)
  if (isTooLarge(stats, limit)) throw tooLargeError(shown, limit)
  return collect(createReadStream(path, { end: limit }), limit, shown)
}

/** Returns the CliError for a file system error while reading. */
export function readError(shown: string, error: NodeJS.ErrnoException): CliError {
  const details = { file: shown, cause: error }
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
    return new CliError('file_not_found', `${shown} does not exist`, 'check the name', details)
  }
  if (error.code === 'ELOOP') {
    return new CliError('broken_link', `${shown} is a symbolic link in a loop`, 'repair the link', details)
  }
  const reason = error.code === 'EACCES' || error.code === 'EPERM' ? 'permission denied' : error.message
  return new CliError('file_unreadable', `cannot read ${shown}: ${reason}`, 'make it readable', details)
}

/** Node reads a folder on stdin as empty text. */
function isStdinFolder(): boolean {
  try {
    return fstatSync(0).isDirectory()
  } catch {
    return false
  }
}

function notAFileError(shown: string): CliError {
  return new CliError('not_a_file', `${shown} is a folder`, 'name a file in it', { file: shown })
}

function isTooLarge(stats: Stats, limit: number): boolean {
  return stats.isFile() && stats.size > limit
}

async function collect(stream: AsyncIterable<Uint8Array>, limit: number, shown: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of stream) {
      size += chunk.length
      if (size > limit) throw tooLargeError(shown, limit)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof CliError ? error : readError(shown, error as NodeJS.ErrnoException)
  }
  return Buffer.concat(chunks)
}

function tooLargeError(shown: string, limit: number): CliError {
  const size = `${limit / 1024 / 1024} MiB`
  return new CliError('file_too_large', `${shown} is larger than ${size}`, `split it: the limit is ${size}`, {
    file: shown,
  })
}
