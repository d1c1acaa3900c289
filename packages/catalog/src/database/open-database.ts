import { CatalogError } from '../catalog-error.ts'
import type { Database } from './dialect.ts'
import { openPostgres, postgresDialect } from './open-postgres.ts'
import { openSqlite, openSqliteReadOnly, sqliteDialect } from './open-sqlite.ts'
import { toCatalogError } from './translate-failures.ts'

export interface DatabaseOptions {
  readonly url: string
  readonly now: () => Date
  /** Milliseconds to wait for another writer or for a connection. */
  readonly lockTimeout: number
  /** Milliseconds that a statement may run in Postgres. @default 30,000 */
  readonly statementTimeout?: number | undefined
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
    'Use postgres://USER:PASSWORD@HOST/DATABASE with special characters percent-encoded, or the path of a SQLite file.'
  return new CatalogError('invalid_database_url', message, hint)
}
