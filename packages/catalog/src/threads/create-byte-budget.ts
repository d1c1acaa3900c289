import { busyError } from './create-catalog-thread.ts'

/** Limits the bytes of large responses that are held in memory until slow clients have received them. */
export interface ByteBudget {
  /** Takes bytes until the returned function is called. @throws CatalogError `catalog_busy` if too few are left */
  take(bytes: number): () => void
}

/** Creates a budget of at most `maxBytes`. */
export function createByteBudget(maxBytes: number): ByteBudget {
  let taken = 0
  return {
    take(bytes) {
      if (taken + bytes > maxBytes) throw busyError()
      taken += bytes
      let isTaken = true
      return () => {
        if (isTaken) taken -= bytes
        isTaken = false
      }
    },
  }
}
