import type { Catalog } from '@packs/catalog'

/** Milliseconds that the catalog's sequence is taken for true: so old can an answer be. */
const TRUSTED = 50

/** Gives the sequence of the catalog, at once where it was read a moment ago. */
export type SequenceReader = () => number | Promise<number>

/** Creates a reader that asks the database twenty times a second at most, however many ask it. */
export function createSequenceReader(catalog: Catalog): SequenceReader {
  let sequence = 0
  let readAt = -Infinity
  let pending: Promise<number> | undefined

  const read = async (): Promise<number> => {
    const start = performance.now()
    try {
      sequence = await catalog.sequence()
      readAt = start
      return sequence
    } finally {
      pending = undefined
    }
  }

  return () => {
    if (performance.now() - readAt < TRUSTED) return sequence
    pending ??= read()
    return pending
  }
}
