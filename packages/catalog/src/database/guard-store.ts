import { CatalogError } from '../catalog-error.ts'
import type { Dialect } from './dialect.ts'

/** A store whose methods say `catalog_unavailable` where the database cannot answer. */
export function guardStore<T extends object>(store: T, dialect: Dialect): T {
  const guarded = Object.entries(store).map(([name, method]: [string, unknown]) => {
    if (typeof method !== 'function') return [name, method] as const
    const call = async (...parameters: unknown[]): Promise<unknown> => {
      try {
        return await (method.apply(store, parameters) as Promise<unknown>)
      } catch (error) {
        throw explainError(error, dialect)
      }
    }
    return [name, call] as const
  })
  return Object.fromEntries(guarded) as T
}

/** The error as the catalog tells it, or as it is where it says something else than that the database is away. */
export function explainError(error: unknown, dialect: Dialect): unknown {
  if (error instanceof CatalogError || !(error instanceof Error)) return error
  const reason = dialect.explainFailure(error)
  if (reason === undefined) return error
  return new CatalogError(
    'catalog_unavailable',
    `The database cannot answer: ${reason}`,
    'Nothing was changed by halves. Check that its address and password are right, that it runs, has room and is not locked, then try again; where it is damaged, restore a backup.',
    { cause: error },
  )
}
