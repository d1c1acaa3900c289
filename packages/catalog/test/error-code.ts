import { CatalogError } from '@packs/catalog'

/** Returns the code of the `CatalogError` that a promise rejects with; `none` if it resolves. */
export async function errorCode(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    if (error instanceof CatalogError) return error.code
    throw error
  }
  return 'none'
}
