import { CatalogError } from '@packs/catalog'

/** The code that a promise is refused with. */
export async function errorCode(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    if (error instanceof CatalogError) return error.code
    throw error
  }
  return 'none'
}
