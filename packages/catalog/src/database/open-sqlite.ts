import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database as Connection, Statement } from 'better-sqlite3'
import {
  Kysely,
  SqliteDialect,
  SqliteDriver,
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
} from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import type { Queries } from './schema.ts'

const MEMORY = ':memory:'

/**
 * Opens a SQLite file, made with its folder where it is missing and readable by its owner alone.
 *
 * A log beside the file (WAL) lets other processes read while one writes. Every commit reaches the disk before it is
 * answered (`synchronous = FULL`): with `NORMAL`, a power cut could take back a version that was said to be published.
 *
 * @param lockTimeout milliseconds to wait for another process's write
 */
export async function openSqlite(path: string, lockTimeout: number): Promise<Queries> {
  requireNode(process.versions.node)
  const { default: Sqlite } = await import('better-sqlite3')
  if (path !== MEMORY) makeFile(path)
  const connection = new Sqlite(path, { timeout: lockTimeout })
  try {
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.pragma('foreign_keys = ON')
  } catch (error) {
    connection.close()
    throw error
  }
  return new Kysely({ dialect: new LockingDialect(connection) })
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

class LockingDialect extends SqliteDialect {
  readonly #connection: Connection

  constructor(connection: Connection) {
    super({ database: connection })
    this.#connection = connection
  }

  override createDriver(): Driver {
    return new LockingDriver(this.#connection)
  }
}

/** Takes the lock at the beginning, as one that is asked for in the middle of a transaction may never be had. */
class LockingDriver extends SqliteDriver {
  readonly #connection: Connection

  constructor(connection: Connection) {
    super({ database: keepStatements(connection) })
    this.#connection = connection
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /** A full disk has ended the transaction already. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.inTransaction) await super.rollbackTransaction(connection)
  }
}

/** Statements are compiled once: that costs more than most of them take to run. */
function keepStatements(connection: Connection): { prepare(sql: string): Statement; close(): void } {
  const kept = new Map<string, Statement>()
  return {
    prepare(sql) {
      const known = kept.get(sql)
      if (known !== undefined) return known
      const statement = connection.prepare(sql)
      if (kept.size >= 500) kept.clear()
      kept.set(sql, statement)
      return statement
    },
    close: () => connection.close(),
  }
}
