/** How often a name may do something in a window; the window begins with the name's first count. */
export interface RateLimit {
  readonly limit: number
  /** Milliseconds. */
  readonly windowMs: number
}

/** Counts by name in the memory of one process. */
export interface RateLimiter {
  /** Returns the seconds until the name may count again; 0 while its limit is not reached. Counts nothing. */
  wait(name: string, now: Date): number
  /** Counts one and returns 0; where the limit is reached, counts nothing and returns the seconds to wait. */
  take(name: string, now: Date): number
}

/** Bounds the memory: beyond this many names the oldest windows are forgotten. */
const MAX_NAMES = 100_000

/**
 * Creates a rate limiter for one process.
 *
 * @example
 * const limiter = createRateLimiter({ limit: 60, windowMs: 60_000 })
 * const wait = limiter.take(clientNetwork(request.ip), new Date())
 */
export function createRateLimiter({ limit, windowMs }: RateLimit): RateLimiter {
  const windows = new Map<string, { count: number; readonly end: number }>()

  const isOpen = (end: number, time: number): boolean =>
    // An end further away than a window was set by a clock that has been put back since.
    end > time && end <= time + windowMs

  const wait: RateLimiter['wait'] = (name, now) => {
    const time = now.getTime()
    const window = windows.get(name)
    if (window === undefined || window.count < limit || !isOpen(window.end, time)) return 0
    return Math.max(1, Math.ceil((window.end - time) / 1000))
  }

  const open = (name: string, time: number): void => {
    windows.delete(name)
    windows.set(name, { count: 1, end: time + windowMs })
    for (const [oldest, { end }] of windows) {
      if (windows.size <= MAX_NAMES && isOpen(end, time)) break
      windows.delete(oldest)
    }
  }

  return {
    wait,
    take(name, now) {
      const seconds = wait(name, now)
      if (seconds > 0) return seconds
      const window = windows.get(name)
      if (window !== undefined && isOpen(window.end, now.getTime())) window.count++
      else open(name, now.getTime())
      return 0
    },
  }
}
