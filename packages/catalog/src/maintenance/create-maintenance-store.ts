import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Database, Queries } from '../database/database.ts'
import { isJobExpired } from '../jobs/create-job-store.ts'
import { removeExpiredSources, type SweepBatch } from '../sources/create-source-store.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

/** The kinds of rows that expire, in the order in which they are swept. */
export const sweepKinds = [
  'sessions',
  'verifications',
  'codes',
  'limits',
  'revoked_keys',
  'expired_keys',
  'quota_days',
  'jobs',
  'sources',
  'audit_log',
] as const

export type SweepKind = (typeof sweepKinds)[number]

/** The right to do a task, which one process at a time has until it expires. */
export interface Lease {
  readonly name: string
  readonly holder: string
}

export interface MaintenanceStore {
  /** Deletes at most `limit` expired rows in a short transaction. */
  removeExpired(kind: SweepKind, now: Date, limit: number): Promise<SweepBatch>
  /** Takes a free or expired lease, or renews one that this holder has; returns whether it did. */
  takeLease(lease: Lease & { readonly now: Date; readonly lengthMs: number }): Promise<boolean>
  /** Gives a lease back; does nothing if another process has it. */
  releaseLease(lease: Lease): Promise<void>
}

const DAY_MS = 24 * 60 * 60 * 1000
/** How long their owner can see ended keys. */
const KEY_DAYS = 30
const QUOTA_DAYS = 7
/** The database keeps rows for 365 days by its own clock, which may differ from this one. */
const AUDIT_DAYS = 366

/** Rows of a table that have expired. The condition needs an index. */
interface ExpiringRows {
  readonly table: string
  readonly key: readonly string[]
  readonly isExpired: (now: Date) => RawBuilder<SqlBool>
}

/** All that expires but sources. A new kind needs a line here, a name and an index. */
const expiringRows: Readonly<Record<Exclude<SweepKind, 'sources'>, ExpiringRows>> = {
  sessions: { table: 'sign_in_sessions', key: ['id'], isExpired: isOlder('expiresAt', 0) },
  verifications: { table: 'sign_in_verifications', key: ['id'], isExpired: isOlder('expiresAt', 0) },
  codes: { table: 'account_codes', key: ['hash'], isExpired: isOlder('expires_at', 0) },
  limits: { table: 'sign_in_limits', key: ['name'], isExpired: (now) => sql`ends <= ${now.getTime()}` },
  revoked_keys: { table: 'keys', key: ['id'], isExpired: isOlder('revoked_at', KEY_DAYS) },
  expired_keys: { table: 'keys', key: ['id'], isExpired: isOlder('expires_at', KEY_DAYS) },
  quota_days: {
    table: 'quota_days',
    key: ['account_id', 'day'],
    isExpired: (now) => sql`day < ${daysBefore(now, QUOTA_DAYS).slice(0, 10)}`,
  },
  jobs: { table: 'jobs', key: ['id'], isExpired: isJobExpired },
  audit_log: { table: 'audit_log', key: ['id'], isExpired: isOlder('at', AUDIT_DAYS) },
}

export function createMaintenanceStore({ queries, counts }: Database): MaintenanceStore {
  return {
    removeExpired(kind, now, limit) {
      if (kind === 'sources') return removeExpiredSources(queries, now, limit)
      // In SQLite requests are counted in a file of their own.
      return removeBatch(kind === 'quota_days' ? counts : queries, expiringRows[kind], now, limit)
    },

    async takeLease({ name, holder, now, lengthMs }) {
      const inMs = (ms: number): string => new Date(now.getTime() + ms).toISOString()
      const expires_at = inMs(lengthMs)
      const taken = await queries
        .insertInto('leases')
        .values({ name, holder, expires_at })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet({ holder, expires_at })
            .where((where) =>
              where.or([
                where('leases.holder', '=', holder),
                where('leases.expires_at', '<=', inMs(0)),
                // Such an end was set by a wrong clock; the clocks of several machines differ a little.
                where('leases.expires_at', '>', inMs(2 * lengthMs)),
              ]),
            ),
        )
        .returning('name')
        .executeTakeFirst()
      return taken !== undefined
    },

    async releaseLease({ name, holder }) {
      await queries.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
    },
  }
}

/** Deletes by key and checks again: Postgres may apply a limit of a delete more than once. */
async function removeBatch(
  queries: Queries,
  { table, key, isExpired }: ExpiringRows,
  now: Date,
  limit: number,
): Promise<SweepBatch> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const { rows } = await sql<Record<string, string | number>>`
    select ${columns} from ${sql.table(table)} where ${isExpired(now)} limit ${limit}`.execute(queries)
  if (rows.length === 0) return { rows: 0, hasMore: false }
  const keys = rows.map((row) => sql`(${sql.join(key.map((column) => row[column]))})`)
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)}
    where (${columns}) in (${key.length === 1 ? sql.join(keys) : sql`values ${sql.join(keys)}`})
      and ${isExpired(now)}`.execute(queries)
  return { rows: Number(numAffectedRows), hasMore: rows.length === limit }
}

function isOlder(column: string, days: number): ExpiringRows['isExpired'] {
  return (now) => sql`${sql.ref(column)} < ${daysBefore(now, days)}`
}

function daysBefore(now: Date, days: number): string {
  return new Date(now.getTime() - days * DAY_MS).toISOString()
}

/** Rows deleted in one transaction, so that it is short. */
const BATCH = 500
const SWEEP = 'sweep'
const EVERY_MS = 60_000
/** Longer than the longest batch, and than the time between two rounds. */
const LEASE_MS = 150_000
const RENEW_MS = 30_000
/** A process waiting for SQLite's lock looks every 25 ms; in this pause it gets it. */
const PAUSE_MS = 100

export interface SweepEvents {
  readonly onRemoved?: (kind: SweepKind, rows: number) => void
  /** Called if a batch failed; the next round tries again. */
  readonly onFailure?: (kind: SweepKind | 'lease', error: unknown) => void
  /** Called after a round without failures. */
  readonly onFinished?: (time: Date) => void
}

export interface SweepOptions extends SweepEvents {
  /** Waits between two batches, so that others can write. */
  readonly pause: () => Promise<unknown>
  /** Takes the lease, renews it in time, and returns whether this process may continue. */
  readonly hold: () => Promise<boolean>
  /** @default the system's clock */
  readonly now?: () => Date
}

interface Maintained {
  readonly maintenance: MaintenanceStore
}

export interface Sweeper {
  /** Waits for the batch that is running, and lets another process continue at once. */
  stop(): Promise<void>
}

/** Sweeps every minute. One process at a time has the lease; another takes over in four minutes. */
export function startSweeper(catalog: Maintained, events: SweepEvents): Sweeper {
  const { maintenance } = catalog
  const ending = new AbortController()
  const { signal } = ending
  const holder = randomUUID()
  const waitFor = (ms: number): Promise<unknown> =>
    wait(ms, undefined, { signal, ref: false }).catch(() => undefined)
  const repeat = async (): Promise<void> => {
    while (!signal.aborted) {
      const hold = createHold(maintenance, holder)
      const holdOn = async (): Promise<boolean> => !signal.aborted && hold()
      await sweepExpired(catalog, { ...events, pause: () => waitFor(PAUSE_MS), hold: holdOn })
      await waitFor(EVERY_MS)
    }
    // A lease that cannot be given back expires.
    await maintenance.releaseLease({ name: SWEEP, holder }).catch(() => undefined)
  }
  const done = repeat()
  return {
    async stop() {
      ending.abort()
      await done
    },
  }
}

/** Deletes all expired rows if it holds the lease; returns whether until the end. Never throws. */
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

/** Takes the lease of the sweeper and renews it in time; returns whether its holder may go on. */
export function createHold(
  maintenance: MaintenanceStore,
  holder: string,
  now: () => Date = () => new Date(),
): () => Promise<boolean> {
  let renewedAt = -Infinity
  return async () => {
    const time = now()
    if (Math.abs(time.getTime() - renewedAt) < RENEW_MS) return true
    renewedAt = time.getTime()
    return maintenance.takeLease({ name: SWEEP, holder, now: time, lengthMs: LEASE_MS })
  }
}
