import type { Cache } from './types.ts'

/**
 * Creates a cache in memory. It evicts the least recently used entries.
 *
 * @param options.bytes most bytes of all keys and values, as UTF-16
 * @example
 * const client = createClient({ url, key, cache: createMemoryCache({ bytes: 8 * 1024 * 1024 }) })
 */
export function createMemoryCache({ bytes }: { readonly bytes: number }): Cache {
  const values = new Map<string, string>()
  let size = 0
  const measure = (key: string, value: string): number => 2 * (key.length + value.length)

  const take = (key: string): string | undefined => {
    const value = values.get(key)
    if (values.delete(key)) size -= measure(key, value!)
    return value
  }
  const cache: Cache = {
    async get(key) {
      const value = take(key)
      if (value !== undefined) await cache.set(key, value)
      return value
    },
    async set(key, value) {
      take(key)
      if (measure(key, value) > bytes) return
      values.set(key, value)
      size += measure(key, value)
      for (const oldest of values.keys()) if (size > bytes) take(oldest)
    },
  }
  return cache
}
