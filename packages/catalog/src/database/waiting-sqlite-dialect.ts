import { setTimeout as wait } from 'node:timers/promises'
import type { Database as Connection, Statement } from 'better-sqlite3'
import {
  CompiledQuery,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
} from 'kysely'

const MAX_PAUSE_MS = 25

/**
 * SQLite dialect whose transactions lock the file when they begin (`begin immediate`), because one that locks it later may
 * never get the lock. It waits for the lock without blocking the process.
 */
export class WaitingSqliteDialect extends SqliteDialect {
  readonly #connection: Connection
  readonly #lockTimeout: number

  constructor(connection: Connection, lockTimeout: number) {
    super({ database: connection })
    this.#connection = connection
    this.#lockTimeout = lockTimeout
  }

  override createDriver(): Driver {
    return new WaitingDriver(this.#connection, this.#lockTimeout)
  }
}

class WaitingDriver extends SqliteDriver {
  readonly #connection: Connection
  readonly #lockTimeout: number

  constructor(connection: Connection, lockTimeout: number) {
    super({ database: cacheStatements(connection) })
    this.#connection = connection
    this.#lockTimeout = lockTimeout
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new WaitingConnection(await super.acquireConnection(), this.#lockTimeout)
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /** On a full disk SQLite has already rolled back. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.inTransaction) await super.rollbackTransaction(connection)
  }
}

class WaitingConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection
  readonly #lockTimeout: number

  constructor(connection: DatabaseConnection, lockTimeout: number) {
    this.#connection = connection
    this.#lockTimeout = lockTimeout
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const end = performance.now() + this.#lockTimeout
    for (let pause = 1; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      try {
        return await this.#connection.executeQuery<R>(query)
      } catch (error) {
        if (!isBusy(error) || performance.now() + pause > end) throw error
      }
      await wait(pause)
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery<R>(query, chunkSize)
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}

/** Compiles each statement once: compiling costs more than most statements take to run. */
function cacheStatements(connection: Connection): { prepare(sql: string): Statement; close(): void } {
  const cache = new Map<string, Statement>()
  return {
    prepare(sql) {
      const known = cache.get(sql)
      if (known !== undefined) return known
      const statement = connection.prepare(sql)
      if (cache.size >= 500) cache.clear()
      cache.set(sql, statement)
      return statement
    },
    close: () => connection.close(),
  }
}
