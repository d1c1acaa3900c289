/** Runs work one after the other beyond so many at a time. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** Creates turns: choosing a page reads up to 32 MiB, so that few may do it at once. */
export function createTurns(most: number): Turns {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
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
