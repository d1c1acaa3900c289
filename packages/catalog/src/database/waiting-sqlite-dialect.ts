import { setTimeout as wait } from 'node:timers/promises'
import type { Database as Connection, Statement } from 'better-sqlite3'
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type Dialect,
} from 'kysely'

const MAX_PAUSE_MS = 25
const MAX_STATEMENTS = 500

/**
 * Creates a dialect for SQLite whose transactions lock the file when they begin
 * (`begin immediate`), because one that locks it later may never get the lock. It waits for the
 * lock without blocking the process.
 *
 * The wait for another statement of this connection counts too. So a lock that is held for long
 * fails every statement that waits after the same time, no matter how many wait.
 */
export function createWaitingDialect(connection: Connection, lockTimeout: number): Dialect {
  const inner = new SqliteDialect({ database: connection })
  return {
    createAdapter: () => new QueuedAdapter(),
    createDriver: () => new WaitingDriver(connection, lockTimeout),
    createQueryCompiler: () => inner.createQueryCompiler(),
    createIntrospector: (queries) => inner.createIntrospector(queries),
  }
}

/**
 * Kysely would let statements wait for the connection before it asks the driver, which then cannot
 * see how long they waited.
 */
class QueuedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }

  /** So a migration holds the lock of the file from its beginning to its end. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class WaitingDriver extends SqliteDriver {
  readonly #connection: Connection
  readonly #lockTimeout: number
  /** Callers that wait until the connection is free, in order. */
  readonly #waiting: (() => void)[] = []
  #isTaken = false

  constructor(connection: Connection, lockTimeout: number) {
    super({ database: cacheStatements(connection) })
    this.#connection = connection
    this.#lockTimeout = lockTimeout
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const deadline = performance.now() + this.#lockTimeout
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isTaken = true
    return waitForLock(await super.acquireConnection(), this.#lockTimeout, deadline)
  }

  override releaseConnection(): Promise<void> {
    const next = this.#waiting.shift()
    if (next === undefined) this.#isTaken = false
    else next()
    return Promise.resolve()
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /** On a full disk SQLite has already rolled back. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.inTransaction) await super.rollbackTransaction(connection)
  }
}

/** @param deadline end of the wait for the first statement; each later one has its own */
function waitForLock(inner: DatabaseConnection, lockTimeout: number, deadline: number): DatabaseConnection {
  let next: number | undefined = deadline
  return {
    async executeQuery(query) {
      const end = next ?? performance.now() + lockTimeout
      next = undefined
      for (let pause = 1; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
        try {
          return await inner.executeQuery(query)
        } catch (error) {
          if (!isBusy(error) || performance.now() + pause > end) throw error
        }
        await wait(pause)
      }
    },
    streamQuery: (query, chunkSize) => inner.streamQuery(query, chunkSize),
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}

/**
 * Compiles each statement once, because compiling costs more than most statements take to run. The
 * program has fewer statements than fit.
 */
function cacheStatements(connection: Connection): { prepare(sql: string): Statement; close(): void } {
  const compiled = new Map<string, Statement>()
  return {
    prepare(sql) {
      const known = compiled.get(sql)
      if (known !== undefined) return known
      const statement = connection.prepare(sql)
      if (compiled.size >= MAX_STATEMENTS) compiled.clear()
      compiled.set(sql, statement)
      return statement
    },
    close: () => connection.close(),
  }
}
