import type { Catalog, IndexRun } from '@packs/catalog'

/** Packs or outlines after which a part ends. */
const PART_SIZE = 16
/** Packs in one transaction, which holds the lock of SQLite. */
const BATCH = 4

/**
 * Indexes some of the packs that wait, or stores some missing outlines, in short transactions.
 * Nothing is left to do if the result has neither packs nor outlines.
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
