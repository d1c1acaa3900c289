import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { LentDatabase } from '../catalog.ts'
import type { RateLimit } from './create-rate-limiter.ts'

/** Counts by name for all processes that share a database. */
export interface SharedRateLimiter {
  /** Counts one and returns 0; where the limit is reached, counts nothing and returns the seconds to wait. */
  take(name: string, now: Date): Promise<number>
  /** Takes one count back. */
  release(name: string, now: Date): Promise<void>
}

export interface SharedRateLimit extends RateLimit {
  /** Separates the names of this limit from those of others. */
  readonly kind: string
}

/**
 * Creates a rate limiter that counts in a database. It stores names as SHA-256 hashes; the sweeper deletes them when their
 * window has ended.
 */
export function createSharedRateLimiter(
  { db }: LentDatabase,
  { kind, limit, windowMs }: SharedRateLimit,
): SharedRateLimiter {
  const hashName = (name: string): string => hash('sha256', `${kind} ${name}`, 'base64url')

  return {
    async take(name, now) {
      const time = now.getTime()
      const row = hashName(name)
      // An end far in the future was set by a wrong clock; the clocks of several machines differ a little.
      const isOver = sql<boolean>`(sign_in_limits.ends <= ${time} or sign_in_limits.ends > ${time + 2 * windowMs})`
      const { rows: taken } =
        await sql`insert into sign_in_limits (name, count, ends) values (${row}, 1, ${time + windowMs})
        on conflict (name) do update set
          count = case when ${isOver} then 1 else sign_in_limits.count + 1 end,
          ends = case when ${isOver} then excluded.ends else sign_in_limits.ends end
        where sign_in_limits.count < ${limit} or ${isOver}
        returning count`.execute(db)
      if (taken.length > 0) return 0
      const { rows } = await sql<{
        ends: number | string
      }>`select ends from sign_in_limits where name = ${row}`.execute(db)
      return Math.max(1, Math.ceil((Number(rows[0]?.ends ?? time) - time) / 1000))
    },
    async release(name, now) {
      await sql`update sign_in_limits set count = count - 1
        where name = ${hashName(name)} and count > 0 and ends > ${now.getTime()}`.execute(db)
    },
  }
}
