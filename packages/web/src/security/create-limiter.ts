/** Counts what each name did in the last minute, and says when it was too much. */
export interface Limiter {
  /** Counts one, unless there were `most` already; gives the seconds to wait then, else 0. */
  take(name: string, now: Date): number
}

/** Names that are remembered at a time; more than that come from a flood, and the oldest are forgotten. */
const MOST_NAMES = 20_000

/**
 * Counts in memory, for this process alone, in windows that begin with a name's first count.
 *
 * @param most how often a name may in a window
 * @param window milliseconds
 */
export function createLimiter(most: number, window: number): Limiter {
  const counts = new Map<string, { count: number; end: number }>()

  const find = (name: string, time: number): { count: number; end: number } | undefined => {
    const entry = counts.get(name)
    if (entry === undefined || (entry.end > time && entry.end <= time + window)) return entry
    counts.delete(name)
    return undefined
  }
  const measure = (entry: { count: number; end: number } | undefined, time: number): number =>
    entry === undefined || entry.count < most ? 0 : Math.max(1, Math.ceil((entry.end - time) / 1000))

  return {
    take(name, now) {
      const time = now.getTime()
      const entry = find(name, time)
      const wait = measure(entry, time)
      if (wait > 0) return wait
      if (entry !== undefined) entry.count++
      else {
        const [oldest] = counts.size >= MOST_NAMES ? counts.keys() : []
        if (oldest !== undefined) counts.delete(oldest)
        counts.set(name, { count: 1, end: time + window })
      }
      return 0
    },
  }
}
