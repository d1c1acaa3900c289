import type { Database } from './dialect.ts'
import { explainError } from './guard-store.ts'
import { openPostgres } from './open-postgres.ts'
import { openSqlite, openSqliteToRead } from './open-sqlite.ts'
import { parseDatabaseUrl } from './parse-database-url.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

export interface DatabaseOptions {
  readonly url: string
  readonly now: () => Date
  /** Milliseconds. */
  readonly lockTimeout: number
  readonly readOnly: boolean
}

/**
 * Opens the database of an address; its driver alone is loaded.
 *
 * @throws CatalogError `invalid_database_url` or `catalog_unavailable`
 */
export async function openDatabase({ url, now, lockTimeout, readOnly }: DatabaseOptions): Promise<Database> {
  const address = parseDatabaseUrl(url)
  const dialect = address.kind === 'postgres' ? postgresDialect : sqliteDialect
  try {
    const connections =
      address.kind === 'postgres'
        ? await openPostgres(address.url, lockTimeout)
        : await (readOnly ? openSqliteToRead : openSqlite)(address.path, lockTimeout)
    return { ...connections, dialect, now }
  } catch (error) {
    throw explainError(error, dialect)
  }
}
