import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import { hash } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import type { LentDatabase } from '../open-catalog.ts'

/** How often a name may do something in a window; the window begins with the name's first count. */
export interface RateLimit {
  readonly limit: number
  readonly windowMs: number
}

export interface RateLimiter {
  /** Counts one and returns 0; at the limit, returns the seconds to wait. */
  take(name: string, now: Date): number
}

/** Bounds the memory: beyond this many names the oldest windows are forgotten. */
const MAX_NAMES = 100_000

export function createRateLimiter({ limit, windowMs }: RateLimit): RateLimiter {
  const windows = new Map<string, { count: number; readonly end: number }>()

  const isOpen = (end: number, time: number): boolean =>
    // An end further away than a window was set by a clock that has been put back since.
    end > time && end <= time + windowMs

  const open = (name: string, time: number): void => {
    windows.delete(name)
    windows.set(name, { count: 1, end: time + windowMs })
    for (const [oldest, { end }] of windows) {
      if (windows.size <= MAX_NAMES && isOpen(end, time)) break
      windows.delete(oldest)
    }
  }

  return {
    take(name, now) {
      const time = now.getTime()
      const window = windows.get(name)
      if (window === undefined || !isOpen(window.end, time)) open(name, time)
      else if (window.count < limit) window.count++
      else return Math.max(1, Math.ceil((window.end - time) / 1000))
      return 0
    },
  }
}

/**
 * Reads a client's address in its canonical spelling: without port, brackets and zone. An IPv4
 * address mapped into IPv6 is that IPv4 address, however it is spelled. Returns `undefined` for
 * text that is not an address.
 * @example
 * readClientAddress('[::FFFF:c000:201]:443') // '192.0.2.1'
 */
export function readClientAddress(text: string): string | undefined {
  const { bracketed, plain = '' } =
    /^(?:\[(?<bracketed>[^\]]*)\](?::\d{1,5})?|(?<plain>[^[\]]*))$/.exec(text.trim())?.groups ?? {}
  const address = (bracketed ?? plain.replace(/^([\d.]+):\d{1,5}$/, '$1')).replace(/%[^]*/, '')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address
  return /^::ffff:([\d.]+)$/.exec(canonical)?.[1] ?? canonical
}

/**
 * Returns the name under which the requests of a client are limited: an IPv4 address, or the /64
 * network of an IPv6 address, because one client has a whole /64. Other text is its own name.
 * @example
 * clientNetwork('2001:db8:1:2::9') // '2001:db8:1:2::/64'
 */
export function clientNetwork(text: string): string {
  const address = readClientAddress(text) ?? text
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const left = splitGroups(head)
  const right = splitGroups(tail ?? '')
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  const groups = tail === undefined ? left : [...left, ...zeros, ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}

function splitGroups(text: string): string[] {
  return text === '' ? [] : text.split(':')
}

/** Counts by name for all processes that share a database. */
export interface SharedRateLimiter {
  /** Counts one and returns 0; at the limit, returns the seconds to wait. */
  take(name: string, now: Date): Promise<number>
  release(name: string, now: Date): Promise<void>
}

export interface SharedRateLimit extends RateLimit {
  /** Separates the names of this limit from those of others. */
  readonly kind: string
}

/** Counts in a database. Names are hashed; the sweeper deletes them after their window. */
export function createSharedRateLimiter(
  { db }: LentDatabase,
  { kind, limit, windowMs }: SharedRateLimit,
): SharedRateLimiter {
  return {
    async take(name, now) {
      const time = now.getTime()
      const row = hashName(kind, name)
      const isOver = isPast(time, windowMs)
      const { rows: taken } =
        await sql`insert into sign_in_limits (name, count, ends) values (${row}, 1, ${time + windowMs})
        on conflict (name) do update set
          count = case when ${isOver} then 1 else sign_in_limits.count + 1 end,
          ends = case when ${isOver} then excluded.ends else sign_in_limits.ends end
        where sign_in_limits.count < ${limit} or ${isOver}
        returning count`.execute(db)
      if (taken.length > 0) return 0
      return readWait(db, row, sql`ends`, time)
    },
    async release(name, now) {
      await sql`update sign_in_limits set count = count - 1
        where name = ${hashName(kind, name)} and count > 0 and ends > ${now.getTime()}`.execute(db)
    },
  }
}

/** Slows attempts by name, the more of them fail, for all processes of a database. */
export interface SharedDelay {
  /** Counts a failure and returns 0; during a delay, only returns the seconds to wait. */
  take(name: string, now: Date): Promise<number>
  clear(name: string): Promise<void>
}

/** After so many failures: none after the first four, then twice as long each time. */
const DELAYS_MS = [0, 0, 0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000] as const
const MAX_FAILURES = DELAYS_MS.length - 1
const MAX_DELAY_SECONDS = 60
/** Failures are forgotten after an hour without attempts. */
const MEMORY_MS = 60 * 60 * 1000

/** Uses rows of the shared limiters: the last failure was at `ends` less the time of memory. */
export function createSharedDelay(
  { db }: LentDatabase,
  { kind }: Pick<SharedRateLimit, 'kind'>,
): SharedDelay {
  return {
    async take(name, now) {
      const time = now.getTime()
      const row = hashName(kind, name)
      const isForgotten = isPast(time, MEMORY_MS)
      const { rows: taken } =
        await sql`insert into sign_in_limits (name, count, ends) values (${row}, 1, ${time + MEMORY_MS})
        on conflict (name) do update set
          count = case when ${isForgotten} then 1
            when sign_in_limits.count >= ${sql.lit(MAX_FAILURES)} then sign_in_limits.count
            else sign_in_limits.count + 1 end,
          ends = excluded.ends
        where ${isForgotten} or sign_in_limits.ends - ${sql.lit(MEMORY_MS)} + ${delayColumn} <= ${time}
        returning count`.execute(db)
      if (taken.length > 0) return 0
      const ready = sql`sign_in_limits.ends - ${sql.lit(MEMORY_MS)} + ${delayColumn}`
      return Math.min(await readWait(db, row, ready, time), MAX_DELAY_SECONDS)
    },

    async clear(name) {
      await sql`delete from sign_in_limits where name = ${hashName(kind, name)}`.execute(db)
    },
  }
}

const delayColumn = sql`case ${sql.join(
  DELAYS_MS.slice(0, -1).map(
    (ms, count) => sql`when sign_in_limits.count <= ${sql.lit(count)} then ${sql.lit(ms)}`,
  ),
  sql` `,
)} else ${sql.lit(DELAYS_MS[MAX_FAILURES])} end`

function hashName(kind: string, name: string): string {
  return hash('sha256', `${kind} ${name}`, 'base64url')
}

/** An end far in the future was set by a wrong clock. */
function isPast(time: number, windowMs: number): RawBuilder<boolean> {
  return sql<boolean>`(sign_in_limits.ends <= ${time} or sign_in_limits.ends > ${time + 2 * windowMs})`
}

/** Returns the seconds until the time in a column of a row; at least one. */
async function readWait(
  db: LentDatabase['db'],
  row: string,
  column: RawBuilder<unknown>,
  time: number,
): Promise<number> {
  const query = sql<{ at: number | string }>`select ${column} as at from sign_in_limits where name = ${row}`
  const { rows } = await query.execute(db)
  return Math.max(1, Math.ceil((Number(rows[0]?.at ?? time) - time) / 1000))
}
