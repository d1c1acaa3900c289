import { existsSync, readFileSync, statSync } from 'node:fs'
import type { Database as Connection, Options } from 'better-sqlite3'
import { CatalogError } from '../catalog-error.ts'

type Sqlite = new (source: string | Buffer, options: Options) => Connection

/** Largest file that is read into memory when SQLite cannot open it directly. */
const MAX_BYTES = 1024 ** 3

/**
 * Connects to a SQLite file read-only. Nothing is created or written, except SQLite's index of the log where the folder allows it.
 *
 * SQLite can only open a file in WAL mode if that index exists or can be created. If it cannot, and the log is empty, the file
 * is complete, so a copy of its bytes in memory is opened instead.
 */
export function connectReadOnly(Sqlite: Sqlite, path: string, lockTimeout: number): Connection {
  if (!existsSync(path)) throw missingFileError()
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

/** Whether SQLite failed because it is not allowed to create files. */
function isWriteRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(READONLY|CANTOPEN)/.test(String(error.code))
}

function connectToCopy(Sqlite: Sqlite, path: string, cause: unknown): Connection {
  const before = describeFile(path)
  if (before.size > MAX_BYTES) throw unreadableFileError('it is too large to be read into memory', cause)
  const bytes = readFileSync(path)
  const after = describeFile(path)
  if (before.log > 0 || after.log > 0 || before.mtimeMs !== after.mtimeMs || before.size !== bytes.length) {
    throw unreadableFileError('its log contains newer changes', cause)
  }
  // Write and read version of the format: 2 requires a log, which a database in memory has not (sqlite.org/fileformat2.html, 1.3).
  bytes.fill(1, 18, 20)
  return new Sqlite(bytes, { readonly: true })
}

function describeFile(path: string): { size: number; mtimeMs: number; log: number } {
  const { size, mtimeMs } = statSync(path)
  const logs = [`${path}-wal`, `${path}-journal`].filter((log) => existsSync(log))
  return { size, mtimeMs, log: logs.reduce((sum, log) => sum + statSync(log).size, 0) }
}

function missingFileError(): CatalogError {
  return new CatalogError(
    'catalog_unavailable',
    'There is no SQLite file at the given path',
    'Correct DATABASE_URL: text that does not begin with postgres:// is the path of a SQLite file. `pack serve` and `pack publish` create it.',
  )
}

function unreadableFileError(reason: string, cause: unknown): CatalogError {
  return new CatalogError(
    'catalog_unavailable',
    `The database file cannot be read in place: this user cannot write to its folder, and ${reason}`,
    'Run this as the user who owns the catalog, or open a copy made with "vacuum into".',
    { cause },
  )
}
