/** Runs work for owners in turn, so that no owner waits for all the work of another. */
export interface FairQueue {
  hasSlot(owner: string): boolean
  /**
   * Runs work after the earlier work of its owner; owners who wait take turns. Never refuses work,
   * even without a free slot: callers check {@link hasSlot} first.
   * @param signal Rejects and removes waiting work from the queue. Work that has started must watch
   * it itself, and keeps its slot until it ends.
   * @throws The reason of the signal.
   */
  run<Result>(owner: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>
}

export interface FairQueueOptions {
  /** How much work runs at the same time. @default 1 */
  readonly running?: number
  /** Slots for waiting and running work of all owners. @default unlimited */
  readonly slots?: number
  /**
   * Slots of one owner. The empty name stands for no owner in particular and may use all slots.
   * @default unlimited
   */
  readonly slotsPerOwner?: number
}

export function createFairQueue({
  running: max = 1,
  slots = Infinity,
  slotsPerOwner = Infinity,
}: FairQueueOptions = {}): FairQueue {
  /** Waiting work by owner. The first owner has the next turn. */
  const waiting = new Map<string, (() => Promise<void>)[]>()
  const taken = new Map<string, number>()
  let total = 0
  let running = 0

  const change = (owner: string, by: number): void => {
    total += by
    const own = (taken.get(owner) ?? 0) + by
    if (own > 0) taken.set(owner, own)
    else taken.delete(owner)
  }

  const startNext = (): void => {
    for (const [owner, works] of waiting) {
      if (running >= max) return
      waiting.delete(owner)
      const [next, ...rest] = works
      if (rest.length > 0) waiting.set(owner, rest)
      running += 1
      void next!().finally(() => {
        running -= 1
        startNext()
      })
    }
  }

  return {
    hasSlot: (owner) => total < slots && (owner === '' || (taken.get(owner) ?? 0) < slotsPerOwner),
    run<Result>(owner: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      const start = async (): Promise<void> => {
        // The promise also catches what work throws before it returns one.
        const done = new Promise<Result>((settle) => settle(work()))
        await done.finally(() => change(owner, -1)).then(resolve, reject)
        signal?.removeEventListener('abort', leave)
      }
      const leave = (): void => {
        const works = waiting.get(owner) ?? []
        const rest = works.filter((other) => other !== start)
        // Work that has started keeps its slot until it ends.
        if (rest.length < works.length) change(owner, -1)
        if (rest.length > 0) waiting.set(owner, rest)
        else waiting.delete(owner)
        reject(signal?.reason)
      }
      if (signal?.aborted === true) return Promise.reject(signal.reason as Error)
      signal?.addEventListener('abort', leave)
      waiting.set(owner, [...(waiting.get(owner) ?? []), start])
      change(owner, 1)
      startNext()
      return promise
    },
  }
}
