import { existsSync, mkdirSync, statSync, writeFileSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database as Connection, Options, Statement } from 'better-sqlite3'
import {
  Kysely,
  CompiledQuery,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type Dialect as DriverDialect,
  sql,
} from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import { type Connections, createQuotaTable, type Dialect, type Queries } from './database.ts'
import { readDriverCode, translateFailures } from './translate-failures.ts'
import { setTimeout as wait } from 'node:timers/promises'

const FAILURES: ReadonlyMap<string, string> = new Map([
  ['SQLITE_BUSY', 'another process has held its lock for too long'],
  ['SQLITE_LOCKED', 'another process has held its lock for too long'],
  ['SQLITE_PROTOCOL', 'another process has held its lock for too long'],
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_IOERR', 'the disk failed to read or write'],
  ['SQLITE_CANTOPEN', 'the file cannot be opened'],
  ['SQLITE_PERM', 'this user is not allowed to open the file'],
  ['SQLITE_READONLY', 'the file cannot be written by this user'],
  ['SQLITE_NOMEM', 'there is not enough memory'],
  ['SQLITE_CORRUPT', 'the file is damaged'],
  ['SQLITE_NOTADB', 'the file is not a SQLite database'],
])

/** SQLite compares text by UTF-8 bytes, which is by code point. */
export const sqliteDialect: Dialect = {
  type: 'sqlite',
  types: { integer: 'integer', text: 'text', bytes: 'blob' },

  async hasTable(queries, table) {
    const { rows } = await sql`select 1 from sqlite_master where type = 'table' and name = ${table}`.execute(
      queries,
    )
    return rows.length > 0
  },

  explainFailure({ code, message }) {
    if (typeof code !== 'string') return undefined
    if (code === 'SQLITE_ERROR' && /^no such (table|column): /.test(message)) {
      return 'it is damaged: a table or column is missing'
    }
    return FAILURES.get(code.split('_', 2).join('_'))
  },

  async emptyLog(queries) {
    const checkpoint = sql<{ busy: number }>`pragma wal_checkpoint(truncate)`
    for (let attempt = 1; ; attempt++) {
      if ((await checkpoint.execute(queries)).rows[0]?.busy !== 1) return true
      // Another process reads or writes.
      if (attempt === MAX_CHECKPOINTS) return false
      await wait(MAX_PAUSE_MS)
    }
  },
}

const MAX_PAUSE_MS = 25
const MAX_STATEMENTS = 500
const MAX_CHECKPOINTS = 200

/**
 * Creates a dialect for SQLite whose transactions lock the file when they begin
 * (`begin immediate`), because one that locks it later may never get the lock. It waits for the
 * lock without blocking the process.
 *
 * The wait for another statement of this connection counts too. So a lock that is held for long
 * fails every statement that waits after the same time, no matter how many wait.
 */
function createWaitingDialect(connection: Connection, lockTimeout: number): DriverDialect {
  const inner = new SqliteDialect({ database: connection })
  return {
    createAdapter: () => new QueuedAdapter(),
    createDriver: () => new WaitingDriver(connection, lockTimeout),
    createQueryCompiler: () => inner.createQueryCompiler(),
    createIntrospector: (queries) => inner.createIntrospector(queries),
  }
}

/** Kysely would wait for the connection before the driver sees how long a statement waits. */
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
          if (!String(readDriverCode(error)).startsWith('SQLITE_BUSY') || performance.now() + pause > end)
            throw error
        }
        await wait(pause)
      }
    },
    streamQuery: (query, chunkSize) => inner.streamQuery(query, chunkSize),
  }
}

/** Compiling costs more than most statements take, and the program has fewer than fit. */
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

const MEMORY = ':memory:'

/**
 * Opens a SQLite file. A missing file is created with its folder, readable only by its owner.
 *
 * A write-ahead log lets others read while one process writes. Each commit reaches the disk before
 * it returns (`synchronous = FULL`): with `NORMAL`, a power cut could undo a version that was
 * reported as published.
 *
 * Requests are counted in a separate file, `.quota`, so that they do not wait for commits. It uses
 * `NORMAL`: a power cut can lose the last counts, but the end of a process loses none.
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
    return connectQueries(connection, lockTimeout)
  }
  try {
    const queries = open(path)
    const reads = path === MEMORY ? queries : open(path)
    const counts = path === MEMORY ? queries : open(`${path}.quota`, 'NORMAL')
    await createQuotaTable(counts, sqliteDialect)
    return {
      queries,
      reads,
      counts,
      probes: reads,
      requireFile: path === MEMORY ? () => undefined : createFileCheck(path),
      close: () => closeAll([queries, reads, counts], opened),
    }
  } catch (error) {
    await closeAll([], opened)
    throw error
  }
}

/** Opens an existing SQLite file read-only, without its `.quota` file. */
export async function openSqliteReadOnly(path: string, lockTimeout: number): Promise<Connections> {
  requireNodeVersion(process.versions.node)
  const { default: Sqlite } = await import('better-sqlite3')
  const connection = connectReadOnly(Sqlite, path, lockTimeout)
  connection.pragma('busy_timeout = 0')
  // In KiB; the system keeps the file in its own cache.
  connection.pragma('cache_size = -4000')
  const reads = connectQueries(connection, lockTimeout)
  return {
    queries: reads,
    reads,
    counts: reads,
    probes: reads,
    requireFile: createFileCheck(path),
    close: () => closeAll([reads], [connection]),
  }
}

function connectQueries(connection: Connection, lockTimeout: number): Queries {
  const dialect = createWaitingDialect(connection, lockTimeout)
  return new Kysely({ dialect: translateFailures(dialect, sqliteDialect) })
}

/** Checks that the path still leads to the open file, which may have been replaced. */
function createFileCheck(path: string): () => void {
  const { dev, ino } = statSync(path)
  return () => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.ino === ino && found.dev === dev) return
    throw new CatalogError(
      'catalog_unavailable',
      'The database file was deleted or replaced while it was open',
      'Restart every process that uses it. To restore a backup, stop them first.',
    )
  }
}

/** The SQLite binding crashes the process on Node 20. */
export function requireNodeVersion(version: string): void {
  if (Number.parseInt(version, 10) >= 22) return
  const message = `SQLite needs Node 22 or newer, this is Node ${version}`
  throw new CatalogError('catalog_unavailable', message, 'Use Node 22.13 or newer.')
}

/** Creates a missing file, and opens none: closing it would drop all locks of this process. */
function makeFile(path: string): void {
  try {
    makeFolder(dirname(path))
    if (existsSync(path) && !statSync(path).isDirectory()) return
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const reason = (readDriverCode(error) ?? 'unknown') as string
    if (reason === 'EEXIST' && !statSync(path).isDirectory()) return
    throw new CatalogError(
      'catalog_unavailable',
      `The database file cannot be opened: ${reason}`,
      'Choose a file in a folder that this user can write to.',
      { cause: error },
    )
  }
}

/** With `recursive`, Node never returns where no folder can be created, such as in `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    if (readDriverCode(error) !== 'EEXIST') throw error
  }
}

/** SQLite's own wait for locks blocks the whole process; the driver waits instead. */
function configure(connection: Connection, synchronous: 'FULL' | 'NORMAL'): void {
  connection.pragma('journal_mode = WAL')
  connection.pragma(`synchronous = ${synchronous}`)
  connection.pragma('foreign_keys = ON')
  connection.pragma('busy_timeout = 0')
  // In KiB; the system keeps the file in its own cache.
  connection.pragma('cache_size = -4000')
  // Deleted text is overwritten by zeros.
  connection.pragma('secure_delete = ON')
}

/** Closes the connections too: Kysely leaves those open that never ran a query. */
async function closeAll(databases: readonly Queries[], connections: readonly Connection[]): Promise<void> {
  for (const database of databases) await database.destroy()
  for (const connection of connections) connection.close()
}

type Sqlite = new (source: string | Buffer, options: Options) => Connection

/** Largest file that is read into memory when SQLite cannot open it directly. */
const MAX_BYTES = 1024 ** 3

/**
 * Connects to a SQLite file read-only. Nothing is created or written, except SQLite's index of the
 * log where the folder allows it.
 *
 * SQLite can only open a file in WAL mode if that index exists or can be created. If it cannot, and
 * the log is empty, the file is complete, so a copy of its bytes in memory is opened instead.
 */
function connectReadOnly(Sqlite: Sqlite, path: string, lockTimeout: number): Connection {
  if (!existsSync(path))
    throw new CatalogError(
      'catalog_unavailable',
      'There is no SQLite file at this path',
      'Correct DATABASE_URL: text that does not begin with postgres:// is the path of a SQLite file. `pack serve` and `pack publish` create it.',
    )
  const connection = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: lockTimeout })
  try {
    connection.pragma('schema_version')
    return connection
  } catch (error) {
    connection.close()
    // SQLite fails so if it is not allowed to create files.
    if (!/^SQLITE_(READONLY|CANTOPEN)/.test(String(readDriverCode(error)))) throw error
    return connectToCopy(Sqlite, path, error)
  }
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

function unreadableFileError(reason: string, cause: unknown): CatalogError {
  return new CatalogError(
    'catalog_unavailable',
    `The database file cannot be read in place: this user cannot write to its folder, and ${reason}`,
    'Run this as the user who owns the catalog, or open a copy made with "vacuum into".',
    { cause },
  )
}
