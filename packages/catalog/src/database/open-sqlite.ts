import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database as Connection } from 'better-sqlite3'
import { Kysely } from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import type { Connections } from './dialect.ts'
import { createQuotaTable } from './quota-table.ts'
import { connectReadOnly } from './connect-read-only.ts'
import type { Queries } from './schema.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { WaitingSqliteDialect } from './waiting-sqlite-dialect.ts'

const MEMORY = ':memory:'

/**
 * Opens a SQLite file, made with its folder where it is missing and readable by its owner alone.
 *
 * A log beside the file (WAL) lets others read while one writes. Every commit reaches the disk before it is answered
 * (`synchronous = FULL`): with `NORMAL`, a power cut could take back a version that was said to be published.
 *
 * Requests are counted in a file beside it, `.quota`, so that they wait for no commit, and with `NORMAL`: a power cut may
 * forget those of its last moments, the end of the process forgets none.
 *
 * @param lockTimeout milliseconds to wait for another writer
 */
export async function openSqlite(path: string, lockTimeout: number): Promise<Connections> {
  requireNodeVersion(process.versions.node)
  const { default: Sqlite } = await import('better-sqlite3')
  const opened: Connection[] = []
  const open = (file: string, synchronous: 'FULL' | 'NORMAL' = 'FULL'): Queries => {
    if (file !== MEMORY) makeFile(file)
    const connection = new Sqlite(file, { timeout: lockTimeout })
    opened.push(connection)
    configure(connection, synchronous)
    return new Kysely({ dialect: new WaitingSqliteDialect(connection, lockTimeout) })
  }
  try {
    const queries = open(path)
    const reads = path === MEMORY ? queries : open(path)
    const counts = path === MEMORY ? queries : open(`${path}.quota`, 'NORMAL')
    await createQuotaTable(counts, sqliteDialect)
    return { queries, reads, counts, close: () => closeAll([queries, reads, counts], opened) }
  } catch (error) {
    await closeAll([], opened)
    throw error
  }
}

/** Opens a SQLite file that is there, to read alone; the requests counted beside it are not. */
export async function openSqliteReadOnly(path: string, lockTimeout: number): Promise<Connections> {
  requireNodeVersion(process.versions.node)
  const { default: Sqlite } = await import('better-sqlite3')
  const connection = connectReadOnly(Sqlite, path, lockTimeout)
  connection.pragma('busy_timeout = 0')
  const reads: Queries = new Kysely({ dialect: new WaitingSqliteDialect(connection, lockTimeout) })
  return { queries: reads, reads, counts: reads, close: () => closeAll([reads], [connection]) }
}

/** The binding of SQLite crashes the process under Node 20. */
export function requireNodeVersion(version: string): void {
  if (Number.parseInt(version, 10) >= 22) return
  const hint = 'Use Node 22.13 or newer.'
  throw new CatalogError('catalog_unavailable', `SQLite needs Node 22, this is ${version}`, hint)
}

/**
 * Makes the file where it is missing. One that is there is left alone: to open and close it would drop every lock that
 * this process has on it, and another program would take the log from under its writers.
 */
function makeFile(path: string): void {
  try {
    makeFolder(dirname(path))
    if (existsSync(path) && !statSync(path).isDirectory()) return
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    if (reason === 'EEXIST' && !statSync(path).isDirectory()) return
    throw new CatalogError(
      'catalog_unavailable',
      `The database file cannot be opened: ${reason}`,
      'Name a file in a folder that this user may write to.',
      { cause: error },
    )
  }
}

/** One folder at a time: asked for several, Node never returns where a file system has none, as `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
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
