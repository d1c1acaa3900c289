import { LRUCache } from 'lru-cache'

/**
 * Results of reads that hold until the catalog changes: a key has the sequence number that was read
 * before, so a result is never older than that. Those used last are kept.
 */
export interface ResultCache {
  /** Returns a stored result. */
  peek<Result extends object | number>(key: string, sequence: number): Result | undefined
  /** Returns a stored result, or loads it; `undefined` is not stored. */
  obtain<Result extends object | number | undefined>(
    key: string,
    sequence: number,
    load: () => Promise<Result>,
  ): Promise<Result>
}

/** Characters of all results as JSON, and estimated ones of an entry besides. */
const MAX_CHARACTERS = 32 * 1024 * 1024
const ENTRY_CHARACTERS = 300

/** Creates the result cache of a catalog. */
export function createResultCache(): ResultCache {
  const results = new LRUCache<string, object | number>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (result) => JSON.stringify(result).length + ENTRY_CHARACTERS,
  })
  return {
    peek: <Result extends object | number>(key: string, sequence: number) =>
      results.get(`${sequence} ${key}`) as Result | undefined,
    async obtain<Result extends object | number | undefined>(
      key: string,
      sequence: number,
      load: () => Promise<Result>,
    ) {
      const name = `${sequence} ${key}`
      const known = results.get(name)
      if (known !== undefined) return known as Result
      const result = await load()
      if (result !== undefined) results.set(name, result)
      return result
    },
  }
}
