import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Catalog } from '../catalog.ts'
import { sweepKinds, type Lease, type SweepBatch, type SweepKind } from '../maintenance-store.ts'

/** Rows deleted in one transaction, so that it is short. */
const BATCH = 500
/** A process waiting for SQLite's lock looks every 25 ms; in this pause it gets it. */
const PAUSE_MS = 100
const EVERY_MS = 60_000
/** Longer than the time between two rounds, so that one process keeps the lease. */
const LEASE_MS = 150_000
const RENEW_MS = 30_000

/** What a sweeper reports. */
export interface SweepEvents {
  /** Called after each batch that deleted rows. */
  readonly onRemoved?: (kind: SweepKind, rows: number) => void
  /** Called if a batch failed; the next round tries again. */
  readonly onFailure?: (kind: SweepKind | 'lease', error: unknown) => void
  /** Called after a round without failures. */
  readonly onFinished?: (time: Date) => void
}

export interface SweepOptions extends SweepEvents {
  /** Name of this process. */
  readonly holder: string
  readonly now: () => Date
  /** Waits between two batches, so that others can write. */
  readonly pause: () => Promise<unknown>
  /** Ends the round after the batch that is running. */
  readonly signal?: AbortSignal
}

/** Sweeps all the time, until stopped. */
export interface Sweeper {
  /** Waits for the batch that is running, and lets another process sweep at once. */
  stop(): Promise<void>
}

/**
 * Sweeps a catalog every minute. Of all processes that do so, one at a time holds the lease and works; if it ends, another one
 * takes over within four minutes.
 *
 * @example
 * const sweeper = startSweeper(catalog, { now: () => new Date(), onFailure: (kind, error) => log.error({ kind, error }) })
 */
export function startSweeper(
  catalog: Catalog,
  { now, ...events }: SweepEvents & { readonly now: () => Date },
): Sweeper {
  const ending = new AbortController()
  const { signal } = ending
  const holder = randomUUID()
  const waitFor = (ms: number): Promise<unknown> =>
    wait(ms, undefined, { signal, ref: false }).catch(() => undefined)
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      await sweepExpired(catalog, { ...events, holder, now, signal, pause: () => waitFor(PAUSE_MS) })
      await waitFor(EVERY_MS)
    }
    // A lease that cannot be given back expires.
    await catalog.maintenance.releaseLease(createLease(holder)).catch(() => undefined)
  }
  const done = work()
  return {
    async stop() {
      ending.abort()
      await done
    },
  }
}

/**
 * Deletes all expired rows in batches, if this process has or gets the lease; returns whether it had it until the end. Never
 * throws.
 */
export async function sweepExpired(catalog: Catalog, options: SweepOptions): Promise<boolean> {
  const { now, onFailure, onFinished } = options
  let hasFailed = false
  try {
    const hold = createHold(catalog, options)
    for (const kind of sweepKinds) {
      if (!(await hold())) return false
      try {
        if (!(await sweepKind(catalog, kind, options, hold))) return false
      } catch (error) {
        hasFailed = true
        onFailure?.(kind, error)
      }
    }
  } catch (error) {
    onFailure?.('lease', error)
    return false
  }
  if (!hasFailed) onFinished?.(now())
  return true
}

async function sweepKind(
  { maintenance }: Catalog,
  kind: SweepKind,
  { now, pause, onRemoved }: SweepOptions,
  hold: () => Promise<boolean>,
): Promise<boolean> {
  for (;;) {
    const batch: SweepBatch = await maintenance.removeExpired(kind, now(), BATCH)
    if (batch.rows > 0) onRemoved?.(kind, batch.rows)
    if (!batch.hasMore) return true
    await pause()
    if (!(await hold())) return false
  }
}

/** Returns a function that takes the lease, renews it in time, and returns whether this process may go on. */
function createHold({ maintenance }: Catalog, { holder, now, signal }: SweepOptions): () => Promise<boolean> {
  let renewedAt = -Infinity
  return async () => {
    if (signal?.aborted) return false
    const time = now()
    if (Math.abs(time.getTime() - renewedAt) < RENEW_MS) return true
    renewedAt = time.getTime()
    return maintenance.takeLease({ ...createLease(holder), now: time, lengthMs: LEASE_MS })
  }
}

function createLease(holder: string): Lease {
  return { name: 'sweep', holder }
}
