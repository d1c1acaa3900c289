import type { Catalog, IndexRun } from '@packs/catalog'

/** Packs or outlines after which a part ends. */
const PART_SIZE = 16
/** Packs in one transaction, which holds SQLite's write lock. */
const BATCH = 4

/**
 * Indexes some of the waiting packs, or stores some missing outlines, in short transactions. If the
 * result has neither packs nor outlines, nothing is left to do.
 */
export async function indexPart({ search }: Catalog): Promise<IndexRun> {
  const end = new AbortController()
  return search.indexWaiting({
    batch: BATCH,
    signal: end.signal,
    onProgress({ packs, outlines }) {
      if (packs + outlines >= PART_SIZE) end.abort()
    },
  })
}
