import { WaitingSqliteDialect } from '@packs/catalog'
import { Kysely, PostgresDialect } from 'kysely'
import type { AuthDatabase, AuthQueries } from './auth-database.ts'
import { createAuthTables } from './create-auth-tables.ts'

const LOCK_MS = 10_000
const STATEMENT_MS = 30_000

/**
 * Opens the catalog's database for sign-in and makes its tables where they are missing; several processes may start at
 * once.
 *
 * @param url an address that the catalog has opened, so that file and folder are there
 */
export async function openAuthDatabase(url: string): Promise<AuthDatabase> {
  const database = /^postgres(?:ql)?:/i.test(url) ? await openPostgres(url) : await openSqlite(url)
  try {
    await createAuthTables(database)
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

async function openSqlite(url: string): Promise<AuthDatabase> {
  const { default: Sqlite } = await import('better-sqlite3')
  const connection = new Sqlite(url.replace(/^sqlite:(\/\/)?/i, ''), {
    fileMustExist: true,
    timeout: LOCK_MS,
  })
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  connection.pragma('busy_timeout = 0')
  const db: AuthQueries = new Kysely({ dialect: new WaitingSqliteDialect(connection, LOCK_MS) })
  return {
    type: 'sqlite',
    db,
    async close() {
      await db.destroy()
      connection.close()
    },
  }
}

async function openPostgres(url: string): Promise<AuthDatabase> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    connectionTimeoutMillis: LOCK_MS,
    lock_timeout: LOCK_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS + 5000,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    keepAlive: true,
    application_name: 'packs sign-in',
  })
  // A connection that breaks while it is idle has nobody to tell; the next query makes another.
  pool.on('error', () => {})
  // One that breaks in use tells its query; the event that follows would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const db: AuthQueries = new Kysely({ dialect: new PostgresDialect({ pool }) })
  return { type: 'postgres', db, close: () => db.destroy() }
}
