import { CatalogError } from '../catalog-error.ts'

/** Where a database is. */
export type DatabaseAddress =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'sqlite'; readonly path: string }

/**
 * Reads `postgres://…`, `postgresql://…`, `sqlite:PATH` or the path of a file.
 *
 * @throws CatalogError `invalid_database_url`; the address is not repeated, as it may hold a password
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme === 'postgres' || scheme === 'postgresql') {
    if (!URL.canParse(url)) throw refuse('The address of the Postgres database is no valid URL')
    return { kind: 'postgres', url }
  }
  if (scheme !== undefined && scheme !== 'sqlite') {
    throw refuse(`Databases of the kind ${scheme.slice(0, 20)} are not supported`)
  }
  const path = url.replace(/^sqlite:(\/\/)?/i, '')
  if (path === '' || path.includes('\0')) throw refuse('The path of the SQLite file is empty or not valid')
  return { kind: 'sqlite', path }
}

function refuse(message: string): CatalogError {
  const hint =
    'Write postgres://USER:PASSWORD@HOST/DATABASE, its special characters percent-encoded, or the path of a SQLite file.'
  return new CatalogError('invalid_database_url', message, hint)
}
