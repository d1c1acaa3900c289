import { existsSync, readFileSync, statSync } from 'node:fs'
import type { Database as Connection, Options } from 'better-sqlite3'
import { CatalogError } from '../catalog-error.ts'

type Sqlite = new (source: string | Buffer, options: Options) => Connection

/** What is read into memory, where SQLite cannot read it in its place. */
const MAX_BYTES = 1024 ** 3

/**
 * Connects to a SQLite file to read alone: nothing is made and nothing is written but SQLite's own index of a log, where it may.
 *
 * A file with a log can only be read where that index is, or can be made. Without it, and without a log that holds anything, the
 * file is whole: then its bytes are read.
 */
export function connectReadOnly(Sqlite: Sqlite, path: string, lockTimeout: number): Connection {
  const connection = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: lockTimeout })
  try {
    connection.pragma('schema_version')
    return connection
  } catch (error) {
    connection.close()
    if (!isWriteRefused(error)) throw error
    return connectToCopy(Sqlite, path, error)
  }
}

/** SQLite would have to make files, and may not. */
function isWriteRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(READONLY|CANTOPEN)/.test(String(error.code))
}

function connectToCopy(Sqlite: Sqlite, path: string, cause: unknown): Connection {
  const before = describeFile(path)
  if (before.size > MAX_BYTES) throw unreadableFileError('it is too large to be read into memory', cause)
  const bytes = readFileSync(path)
  const after = describeFile(path)
  if (before.log > 0 || after.log > 0 || before.mtimeMs !== after.mtimeMs || before.size !== bytes.length) {
    throw unreadableFileError('its log holds what is newer', cause)
  }
  // Versions of the format to write and to read: 2 asks for a log, which memory has none of (sqlite.org/fileformat2.html, 1.3).
  bytes.fill(1, 18, 20)
  return new Sqlite(bytes, { readonly: true })
}

function describeFile(path: string): { size: number; mtimeMs: number; log: number } {
  const { size, mtimeMs } = statSync(path)
  const logs = [`${path}-wal`, `${path}-journal`].filter((log) => existsSync(log))
  return { size, mtimeMs, log: logs.reduce((sum, log) => sum + statSync(log).size, 0) }
}

function unreadableFileError(reason: string, cause: unknown): CatalogError {
  return new CatalogError(
    'catalog_unavailable',
    `The database file cannot be read where it is, as this user may not write to its folder and ${reason}`,
    'Run this as the user that the catalog belongs to, or name a folder with a copy made by "vacuum into".',
    { cause },
  )
}
