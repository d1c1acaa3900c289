import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Lease, MaintenanceStore } from './create-maintenance-store.ts'

/** A process waiting for SQLite's lock looks every 25 ms; in this pause it gets it. */
const PAUSE_MS = 100
const RENEW_MS = 30_000

/** A task that one process at a time repeats. Times are in milliseconds. */
export interface LeasedTask {
  /** Name of the lease. */
  readonly name: string
  /**
   * Longer than the longest step, and where one process should keep the task, than the time between
   * two rounds.
   */
  readonly leaseMs: number
  /** Before the first round. @default 0 */
  readonly startMs?: number
  /** Between two rounds. */
  readonly everyMs: number
}

export interface Round {
  /** Waits between two steps, so that others can write. */
  readonly pause: () => Promise<unknown>
  /** Takes the lease, renews it in time, and returns whether this process may continue. */
  readonly hold: () => Promise<boolean>
}

export interface Maintained {
  readonly maintenance: MaintenanceStore
}

export interface RepeatedTask {
  /** Waits for the step that is running, and lets another process continue at once. */
  stop(): Promise<void>
}

/**
 * Repeats a task until it is stopped. Of all processes that do so, one at a time holds the lease
 * and works.
 *
 * @param work does a round, which never throws
 */
export function repeatLeased(
  { maintenance }: Maintained,
  { name, leaseMs, startMs = 0, everyMs }: LeasedTask,
  work: (round: Round) => Promise<unknown>,
): RepeatedTask {
  const ending = new AbortController()
  const { signal } = ending
  const lease = { name, holder: randomUUID() }
  const waitFor = (ms: number): Promise<unknown> =>
    wait(ms, undefined, { signal, ref: false }).catch(() => undefined)
  const repeat = async (): Promise<void> => {
    for (let ms = startMs; !signal.aborted; ms = everyMs) {
      await waitFor(ms)
      const hold = createHold(maintenance, { ...lease, leaseMs })
      const holdOn = async (): Promise<boolean> => !signal.aborted && hold()
      if (!signal.aborted) await work({ pause: () => waitFor(PAUSE_MS), hold: holdOn })
    }
    // A lease that cannot be given back expires.
    await maintenance.releaseLease(lease).catch(() => undefined)
  }
  const done = repeat()
  return {
    async stop() {
      ending.abort()
      await done
    },
  }
}

/**
 * Returns a function that takes a lease, renews it in time, and returns whether its holder may go
 * on.
 */
export function createHold(
  maintenance: MaintenanceStore,
  { leaseMs: lengthMs, ...lease }: Lease & Pick<LeasedTask, 'leaseMs'>,
  now: () => Date = () => new Date(),
): () => Promise<boolean> {
  let renewedAt = -Infinity
  return async () => {
    const time = now()
    if (Math.abs(time.getTime() - renewedAt) < RENEW_MS) return true
    renewedAt = time.getTime()
    return maintenance.takeLease({ ...lease, now: time, lengthMs })
  }
}
