/** Runs work once fewer than the maximum are running. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>

/** Limits how much work runs at the same time. Work starts in the order of its calls. */
export function limitConcurrency(max: number): ConcurrencyLimit {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
