import { CatalogError } from '../catalog-error.ts'
import type { Database, Connections, Dialect, Queries } from './database.ts'
import { openSqlite, openSqliteReadOnly, sqliteDialect } from './open-sqlite.ts'
import { toCatalogError, translateFailures } from './translate-failures.ts'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type { default as Driver, PoolClient, PoolConfig } from 'pg'

export interface DatabaseOptions extends PostgresLimits {
  readonly url: string
  readonly now: () => Date
  readonly readOnly: boolean
}

type DatabaseAddress =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'sqlite'; readonly path: string }

/**
 * Loads only the driver of this database.
 * @throws CatalogError `invalid_database_url` or `catalog_unavailable`
 */
export async function openDatabase({ url, now, readOnly, ...limits }: DatabaseOptions): Promise<Database> {
  const location = parseDatabaseUrl(url)
  const dialect = location.kind === 'postgres' ? postgresDialect : sqliteDialect
  try {
    const connections =
      location.kind === 'postgres'
        ? await openPostgres(location.url, limits)
        : await (readOnly ? openSqliteReadOnly : openSqlite)(location.path, limits.lockTimeout)
    return { ...connections, dialect, now }
  } catch (error) {
    throw toCatalogError(error, dialect)
  }
}

/** @throws CatalogError `invalid_database_url`, without the URL, which may contain a password */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme === 'postgres' || scheme === 'postgresql') {
    if (!URL.canParse(url)) throw invalidUrlError('The URL of the Postgres database is not valid')
    return { kind: 'postgres', url }
  }
  if (scheme !== undefined && scheme !== 'sqlite') {
    throw invalidUrlError(`Database URLs with the scheme ${scheme.slice(0, 20)} are not supported`)
  }
  const path = url.replace(/^sqlite:(\/\/)?/i, '')
  if (path === '' || path.includes('\0'))
    throw invalidUrlError('The path of the SQLite file is empty or not valid')
  return { kind: 'sqlite', path }
}

/** @throws CatalogError `invalid_database_url` */
export function isInMemory(url: string): boolean {
  const location = parseDatabaseUrl(url)
  return location.kind === 'sqlite' && location.path === ':memory:'
}

function invalidUrlError(message: string): CatalogError {
  const hint =
    'Set DATABASE_URL to postgres://USER:PASSWORD@HOST/DATABASE, with special characters percent-encoded. For SQLite, do not set it, and name a folder with --data.'
  return new CatalogError('invalid_database_url', message, hint)
}

/** OID of 64-bit integers. They are read as numbers: sequences and counts stay far below 2^53. */
const INT8 = 20
/** So that a frozen process does not hold its locks longer. */
const IDLE_MS = 30_000
/** Time for an answer to arrive after the server has ended its statement, in milliseconds. */
const ANSWER_MS = 2000
export interface PostgresLimits {
  /** Waiting for another writer or for a connection. */
  readonly lockTimeout: number
  /** Running one statement. @default 30,000 */
  readonly statementTimeout?: number | undefined
}

/** Limits of a query that only asks whether the server answers. */
const PROBE_MS = 2000

/** Connects to a Postgres database, with at most ten connections and one for probes. */
export async function openPostgres(
  url: string,
  { lockTimeout, statementTimeout = 30_000 }: PostgresLimits,
): Promise<Connections> {
  const { default: pg } = await import('pg')
  const queries = connect(pg, url, {
    max: 10,
    connectionTimeoutMillis: lockTimeout,
    lock_timeout: lockTimeout,
    statement_timeout: statementTimeout,
    query_timeout: statementTimeout + ANSWER_MS,
    application_name: 'packs',
  })
  const probes = connect(pg, url, {
    max: 1,
    connectionTimeoutMillis: PROBE_MS,
    statement_timeout: PROBE_MS,
    query_timeout: PROBE_MS,
    application_name: 'packs probe',
  })
  const close = async (): Promise<void> => {
    await probes.destroy()
    await queries.destroy()
  }
  try {
    await requireUtf8(queries)
  } catch (error) {
    await close()
    throw error
  }
  return {
    queries,
    reads: queries,
    counts: queries,
    probes,
    requireFile: () => undefined,
    close,
  }
}

function connect(pg: typeof Driver, url: string, settings: PoolConfig): Queries {
  const pool = new pg.Pool({
    idle_in_transaction_session_timeout: IDLE_MS,
    ...settings,
    connectionString: url,
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? Number : (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
    },
  })
  // Nobody handles the error of a connection that breaks while idle; the next query opens a new one.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    // If a connection breaks in use, its query fails; without a listener the following event would end the process.
    client.on('error', () => {})
    endWithoutAnswer(client)
  })
  return new Kysely({ dialect: translateFailures(new PostgresDialect({ pool }), postgresDialect) })
}

/** Ends a connection without an answer in time: the next query would wait behind the last one. */
function endWithoutAnswer(client: PoolClient): void {
  const query = client.query.bind(client) as (...parameters: unknown[]) => Promise<unknown>
  const watched = async (...parameters: unknown[]): Promise<unknown> => {
    try {
      return await query(...parameters)
    } catch (error) {
      if (error instanceof Error && error.message === 'Query read timeout') void client.end()
      throw error
    }
  }
  client.query = watched as PoolClient['query']
}

async function requireUtf8(queries: Queries): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(queries)
  const encoding = rows[0]?.server_encoding ?? 'unknown'
  if (encoding === 'UTF8') return
  throw new CatalogError(
    'catalog_unavailable',
    `The database is encoded in ${encoding}, not in UTF8`,
    "Create it with ENCODING 'UTF8' TEMPLATE template0.",
  )
}

/** Error codes of the driver's sockets. */
const SOCKET_ERROR = /^(ECONN\w+|EHOST\w+|ENET\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EACCES|ENOENT)$/

/** SQLSTATE classes and codes that mean that the server cannot answer now, or not for this user. */
const FAILURES: readonly (readonly [RegExp, string])[] = [
  [/^08/, 'the connection broke'],
  [/^28/, 'it rejected the user or the password'],
  [/^3D000/, 'it has no database with this name'],
  [/^25006/, 'it is read-only'],
  [/^25P0[34]/, 'a transaction took too long'],
  [/^42(P01|703)/, 'it is damaged: a table or column is missing'],
  [/^42883/, 'it is damaged: a function is missing'],
  [/^40/, 'it rolled back a transaction because of another one'],
  [/^42501/, 'the user lacks a privilege'],
  [/^53/, 'it is out of disk space, memory or connections'],
  [/^55P03/, 'another process has held a lock for too long'],
  [/^57014/, 'a statement took too long'],
  [/^57/, 'it is shutting down or starting'],
  [/^58/, 'its disk failed'],
  [/^XX/, 'it is damaged, or failed internally'],
]

/** Postgres compares text by code point (`COLLATE "C"`). */
export const postgresDialect: Dialect = {
  type: 'postgres',
  types: { integer: 'bigint', text: 'text collate "C"', bytes: 'bytea' },

  async hasTable(queries, table) {
    const { rows } = await sql`select 1 where to_regclass(${table}) is not null`.execute(queries)
    return rows.length > 0
  },

  explainFailure({ code, message }) {
    if (typeof code !== 'string') {
      return /^Connection terminated|timeout exceeded when trying to connect|^Query read timeout|^Client (has encountered|was closed)/.test(
        message,
      )
        ? 'the connection broke or could not be made in time'
        : undefined
    }
    if (SOCKET_ERROR.test(code)) return `no connection (${code})`
    return FAILURES.find(([pattern]) => pattern.test(code))?.[1]
  },

  emptyLog: () => Promise.resolve(true),
}
