import { LRUCache } from 'lru-cache'

/** Values in memory, by name. Those used last are kept. */
export interface LoadingCache {
  get<Value extends object | number>(name: string): Value | undefined
  /**
   * Returns the value of a name, or loads it, once for all who ask for it at the same time.
   * @param measure returns the bytes of a value; 0 if it is not to be kept
   */
  obtain<Value extends object | number | undefined>(
    name: string,
    load: () => Promise<Value>,
    measure: (value: NonNullable<Value>) => number,
  ): Promise<Value>
  /** Corrects the bytes of a value that has grown, if it is still kept. */
  resize(name: string, value: object, bytes: number): void
  /** Bytes of all values, with {@link ENTRY_BYTES} for each. */
  bytes(): number
}

/** Estimated memory of an entry besides its value. */
const ENTRY_BYTES = 1000

/** Creates a cache of at most so many bytes. A value with more than `maxEntryBytes` is not kept. */
export function createLoadingCache(maxBytes: number, maxEntryBytes: number = maxBytes): LoadingCache {
  const cached = new LRUCache<string, object | number>({ maxSize: Math.floor(maxBytes) })
  const pending = new Map<string, Promise<unknown>>()
  const keep = (name: string, value: object | number, bytes: number): void => {
    if (bytes > 0 && bytes <= maxEntryBytes) cached.set(name, value, { size: bytes + ENTRY_BYTES })
  }
  return {
    get: <Value extends object | number>(name: string) => cached.get(name) as Value | undefined,
    async obtain<Value extends object | number | undefined>(
      name: string,
      load: () => Promise<Value>,
      measure: (value: NonNullable<Value>) => number,
    ) {
      const known = cached.get(name) ?? pending.get(name)
      if (known !== undefined) return known as Value | Promise<Value>
      const loadNew = async (): Promise<Value> => {
        const value = await load()
        if (value !== undefined) keep(name, value, measure(value))
        return value
      }
      const loading = loadNew().finally(() => pending.delete(name))
      pending.set(name, loading)
      return loading
    },
    resize(name, value, bytes) {
      if (cached.peek(name) !== value) return
      // Setting the same value again would not change its size.
      cached.delete(name)
      keep(name, value, bytes)
    },
    bytes: () => cached.calculatedSize,
  }
}

/** Results of reads by the sequence number that was read before: none is older than that. */
export interface ResultCache {
  peek<Result extends object | number>(key: string, sequence: number): Result | undefined
  /** Returns a stored result, or loads it; `undefined` is not stored. */
  obtain<Result extends object | number | undefined>(
    key: string,
    sequence: number,
    load: () => Promise<Result>,
  ): Promise<Result>
}

/** @param maxBytes of all results, estimated by the characters of their JSON */
export function createResultCache(maxBytes: number): ResultCache {
  const cache = createLoadingCache(maxBytes)
  return {
    peek: (key, sequence) => cache.get(`${sequence} ${key}`),
    obtain: (key, sequence, load) =>
      cache.obtain(`${sequence} ${key}`, load, (result) => JSON.stringify(result).length),
  }
}
