import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database as Connection } from 'better-sqlite3'
import { Kysely } from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import type { Connections } from './dialect.ts'
import type { Queries } from './schema.ts'
import { WaitingSqliteDialect } from './waiting-sqlite-dialect.ts'

const MEMORY = ':memory:'

/**
 * Opens a SQLite file, made with its folder where it is missing and readable by its owner alone.
 *
 * A log beside the file (WAL) lets others read while one writes. Every commit reaches the disk before it is answered
 * (`synchronous = FULL`): with `NORMAL`, a power cut could take back a version that was said to be published. Requests are
 * counted with `NORMAL`: a power cut may forget those of its last moments, the end of the process forgets none.
 *
 * @param lockTimeout milliseconds to wait for another writer
 */
export async function openSqlite(path: string, lockTimeout: number): Promise<Connections> {
  requireNode(process.versions.node)
  const { default: Sqlite } = await import('better-sqlite3')
  if (path !== MEMORY) makeFile(path)
  const opened: Connection[] = []
  const open = (synchronous: 'FULL' | 'NORMAL' = 'FULL'): Queries => {
    const connection = new Sqlite(path, { timeout: lockTimeout })
    opened.push(connection)
    configure(connection, synchronous)
    return new Kysely({ dialect: new WaitingSqliteDialect(connection, lockTimeout) })
  }
  try {
    const queries = open()
    const reads = path === MEMORY ? queries : open()
    const counts = path === MEMORY ? queries : open('NORMAL')
    return { queries, reads, counts, close: () => closeAll([queries, reads, counts], opened) }
  } catch (error) {
    await closeAll([], opened)
    throw error
  }
}

/** The binding of SQLite crashes the process under Node 20. */
export function requireNode(version: string): void {
  if (Number.parseInt(version, 10) >= 22) return
  const hint = 'Use Node 22.13 or newer.'
  throw new CatalogError('catalog_unavailable', `SQLite needs Node 22, this is ${version}`, hint)
}

function makeFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new CatalogError(
      'catalog_unavailable',
      `The database file cannot be opened: ${reason}`,
      'Name a file in a folder that this user may write to.',
      { cause: error },
    )
  }
}

/** From here on the driver waits for locks, as SQLite would stop the whole process for it. */
function configure(connection: Connection, synchronous: 'FULL' | 'NORMAL'): void {
  connection.pragma('journal_mode = WAL')
  connection.pragma(`synchronous = ${synchronous}`)
  connection.pragma('foreign_keys = ON')
  connection.pragma('busy_timeout = 0')
}

/** Kysely leaves open what never ran a query. */
async function closeAll(databases: readonly Queries[], connections: readonly Connection[]): Promise<void> {
  for (const database of databases) await database.destroy()
  for (const connection of connections) connection.close()
}
