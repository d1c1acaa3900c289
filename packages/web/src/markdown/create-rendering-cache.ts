import type { Rendering } from './rendering.ts'

/** Keeps what was rendered, the least lately used going first. */
export interface RenderingCache {
  get(key: string): Rendering | undefined
  put(key: string, rendering: Rendering): void
}

/** @param most UTF-16 units of markup that are kept */
export function createRenderingCache(most: number): RenderingCache {
  const kept = new Map<string, Rendering>()
  let size = 0
  return {
    get(key) {
      const found = kept.get(key)
      if (found === undefined) return undefined
      kept.delete(key)
      kept.set(key, found)
      return found
    },
    put(key, rendering) {
      size += rendering.markup.length - (kept.get(key)?.markup.length ?? 0)
      kept.delete(key)
      kept.set(key, rendering)
      for (const [oldest, { markup }] of kept) {
        if (size <= most) break
        kept.delete(oldest)
        size -= markup.length
      }
    },
  }
}
