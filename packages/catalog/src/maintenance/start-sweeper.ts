import type { SweepBatch } from '../sources/create-source-store.ts'
import { sweepKinds, type SweepKind } from './create-maintenance-store.ts'
import {
  repeatLeased,
  type LeasedTask,
  type Maintained,
  type RepeatedTask,
  type Round,
} from './repeat-leased.ts'

/** Rows deleted in one transaction, so that it is short. */
const BATCH = 500
export const sweepTask: LeasedTask = { name: 'sweep', leaseMs: 150_000, everyMs: 60_000 }

export interface SweepEvents {
  /** Called after each batch that deleted rows. */
  readonly onRemoved?: (kind: SweepKind, rows: number) => void
  /** Called if a batch failed; the next round tries again. */
  readonly onFailure?: (kind: SweepKind | 'lease', error: unknown) => void
  /** Called after a round without failures. */
  readonly onFinished?: (time: Date) => void
}

export interface SweepOptions extends SweepEvents, Round {
  /** @default the system's clock */
  readonly now?: () => Date
}

/**
 * Sweeps a catalog every minute. Of all processes that do so, one at a time holds the lease and
 * works; if it ends, another one takes over within four minutes.
 *
 * @example
 * const sweeper = startSweeper(catalog, { onFailure: (kind, error) => log.error({ kind, error }) })
 */
export function startSweeper(catalog: Maintained, events: SweepEvents): RepeatedTask {
  return repeatLeased(catalog, sweepTask, (round) => sweepExpired(catalog, { ...events, ...round }))
}

/**
 * Deletes all expired rows in batches, if this process has or gets the lease; returns whether it
 * had it until the end. Never throws.
 */
export async function sweepExpired(catalog: Maintained, options: SweepOptions): Promise<boolean> {
  const { hold, now = () => new Date(), onFailure, onFinished } = options
  let hasFailed = false
  try {
    for (const kind of sweepKinds) {
      if (!(await hold())) return false
      try {
        if (!(await sweepKind(catalog, kind, options))) return false
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
  { maintenance }: Maintained,
  kind: SweepKind,
  { now = () => new Date(), pause, hold, onRemoved }: SweepOptions,
): Promise<boolean> {
  for (;;) {
    const batch: SweepBatch = await maintenance.removeExpired(kind, now(), BATCH)
    if (batch.rows > 0) onRemoved?.(kind, batch.rows)
    if (!batch.hasMore) return true
    await pause()
    if (!(await hold())) return false
  }
}
