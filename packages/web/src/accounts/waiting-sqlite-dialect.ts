import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import {
  CompiledQuery,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
} from 'kysely'

const LONGEST_WAIT = 25

/**
 * SQLite beside the catalog's own connections: who finds the file locked waits without stopping the process, as the
 * lock may be held by another part of this very process.
 */
export class WaitingSqliteDialect extends SqliteDialect {
  readonly #connection: Database
  readonly #lockTimeout: number

  /** @param lockTimeout milliseconds */
  constructor(connection: Database, lockTimeout: number) {
    super({ database: connection })
    this.#connection = connection
    this.#lockTimeout = lockTimeout
  }

  override createDriver(): Driver {
    return new WaitingDriver(this.#connection, this.#lockTimeout)
  }
}

class WaitingDriver extends SqliteDriver {
  readonly #lockTimeout: number

  constructor(connection: Database, lockTimeout: number) {
    super({ database: connection })
    this.#lockTimeout = lockTimeout
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new WaitingConnection(await super.acquireConnection(), this.#lockTimeout)
  }

  /** A transaction that asks for the lock in its middle may never get it. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
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
    for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_WAIT)) {
      try {
        return await this.#connection.executeQuery<R>(query)
      } catch (error) {
        const isBusy =
          error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
        if (!isBusy || performance.now() + pause > end) throw error
      }
      await wait(pause)
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery<R>(query, chunkSize)
  }
}
