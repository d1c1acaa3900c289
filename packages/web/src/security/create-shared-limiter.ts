import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { AuthDatabase } from '../accounts/auth-database.ts'

/** Counts as a limiter does, for all processes that serve the same catalog. */
export interface SharedLimiter {
  /** Counts one, unless there were `most` already; gives the seconds to wait then, else 0. */
  take(name: string, now: Date): Promise<number>
  /** Takes one back. */
  release(name: string, now: Date): Promise<void>
}

export interface SharedLimit {
  /** Keeps names of different limits apart. */
  readonly kind: string
  /** How often a name may in a window. */
  readonly most: number
  /** Milliseconds; a window begins with a name's first count. */
  readonly window: number
}

const SWEEP_MS = 60_000

/** Counts in the database of sign-in. Names are kept as hashes, and no longer than their windows. */
export function createSharedLimiter(
  database: AuthDatabase,
  { kind, most, window }: SharedLimit,
): SharedLimiter {
  const { db } = database
  let swept = 0
  const nameRow = (name: string): string => hash('sha256', `${kind} ${name}`, 'base64url')

  return {
    async take(name, now) {
      const time = now.getTime()
      if (Math.abs(time - swept) >= SWEEP_MS) {
        swept = time
        await sweep(database, time)
      }
      const row = nameRow(name)
      // An end that is far off was written by a clock that was wrong; clocks of several machines differ a little.
      const isOver = sql<boolean>`(sign_in_limits.ends <= ${time} or sign_in_limits.ends > ${time + 2 * window})`
      const { rows: taken } =
        await sql`insert into sign_in_limits (name, count, ends) values (${row}, 1, ${time + window})
        on conflict (name) do update set
          count = case when ${isOver} then 1 else sign_in_limits.count + 1 end,
          ends = case when ${isOver} then excluded.ends else sign_in_limits.ends end
        where sign_in_limits.count < ${most} or ${isOver}
        returning count`.execute(db)
      if (taken.length > 0) return 0
      const { rows } = await sql<{
        ends: number | string
      }>`select ends from sign_in_limits where name = ${row}`.execute(db)
      return Math.max(1, Math.ceil((Number(rows[0]?.ends ?? time) - time) / 1000))
    },
    async release(name, now) {
      await sql`update sign_in_limits set count = count - 1
        where name = ${nameRow(name)} and count > 0 and ends > ${now.getTime()}`.execute(db)
    },
  }
}

/** Deletes what is over; what another process is deleting or counting at this moment is left to it. */
async function sweep({ db, type }: AuthDatabase, time: number): Promise<void> {
  const found = sql`select name from sign_in_limits where ends <= ${time}`
  const free = type === 'postgres' ? sql`${found} for update skip locked` : found
  await sql`delete from sign_in_limits where name in (${free})`.execute(db)
}
