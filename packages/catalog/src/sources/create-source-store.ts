import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { type Database, cleanText, type Queries, splitParts } from '../database/database.ts'
import type { NewVersion } from '../types.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** A failed job of a queue can be retried for a week, and may have waited long before. */
const RETENTION_MS = 30 * DAY_MS
/** A get updates the time at most once a day, because a source is a long row. */
const TOUCH_INTERVAL_MS = DAY_MS
/** Limits how many sources one call removes, and their bytes, so that no call takes long. */
const REMOVALS_PER_PUT = 100
const BYTES_PER_REMOVAL = 4_000_000
const DIGESTS_PER_QUERY = 1000

/** Source files by SHA-256. Those of versions are kept, others for 30 days after the last use. */
export interface SourceStore {
  /** Stores bytes and returns their SHA-256 in hexadecimal. */
  put(bytes: Uint8Array): Promise<string>
  get(sha256: string): Promise<Uint8Array | undefined>
}

/** Creates the store of source files in a database; equal bytes are stored once. */
export function createSourceStore({ queries, reads, now }: Database): SourceStore {
  const before = (ms: number): string => new Date(now().getTime() - ms).toISOString()

  return {
    async put(bytes) {
      const sha256 = hash('sha256', bytes)
      const copy = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const asked_at = now().toISOString()
      await queries
        .insertInto('sources')
        .values({ sha256, bytes: copy, asked_at })
        .onConflict((conflict) =>
          conflict
            .column('sha256')
            .doUpdateSet({ asked_at })
            .where('sources.asked_at', '<', before(TOUCH_INTERVAL_MS)),
        )
        .execute()
      // The bytes are stored. If removal fails, for example because others remove too, the next put tries again.
      await removeExpiredSources(queries, now(), REMOVALS_PER_PUT).catch(() => undefined)
      return sha256
    },

    async get(sha256) {
      const row = await reads
        .selectFrom('sources')
        .select(['bytes', 'asked_at'])
        .where('sha256', '=', cleanText(sha256))
        .executeTakeFirst()
      if (row && row.asked_at !== null && row.asked_at < before(TOUCH_INTERVAL_MS)) {
        await queries
          .updateTable('sources')
          .set({ asked_at: now().toISOString() })
          .where('sha256', '=', sha256)
          .where('asked_at', 'is not', null)
          .execute()
          // A read-only database cannot store the time; the source still stays for at least 29 days.
          .catch(() => undefined)
      }
      return row?.bytes
    },
  }
}

/** Keeps the sources of versions forever, in the transaction of their commit. */
export async function retainSources(transaction: Queries, versions: readonly NewVersion[]): Promise<void> {
  const digests = new Set(
    versions.flatMap(({ provenance: { source_sha256, given } }) => [
      source_sha256,
      ...(given?.tables === undefined ? [] : [given.tables]),
    ]),
  )
  for (const part of splitParts([...digests], DIGESTS_PER_QUERY)) {
    await transaction
      .updateTable('sources')
      .set({ asked_at: null })
      .where('sha256', 'in', part)
      .where('asked_at', 'is not', null)
      .execute()
  }
}

export interface SweepBatch {
  readonly rows: number
  readonly hasMore: boolean
}

/** Removes some sources that nobody has used for 30 days, as many as is quick. */
export async function removeExpiredSources(queries: Queries, now: Date, limit: number): Promise<SweepBatch> {
  const end = new Date(now.getTime() - RETENTION_MS).toISOString()
  const expired = await queries
    .selectFrom('sources')
    .select(['sha256', sql<number>`length(bytes)`.as('size')])
    .where('asked_at', '<', end)
    .orderBy('asked_at')
    .limit(limit)
    .execute()
  let bytes = 0
  const firstLeft = expired.findIndex(({ size }, index) => (bytes += size) > BYTES_PER_REMOVAL && index > 0)
  const removed = firstLeft < 0 ? expired : expired.slice(0, firstLeft)
  if (removed.length === 0) return { rows: 0, hasMore: false }
  const { numDeletedRows } = await queries
    .deleteFrom('sources')
    .where(
      'sha256',
      'in',
      removed.map(({ sha256 }) => sha256),
    )
    // It may have been used since it was selected.
    .where('asked_at', '<', end)
    .executeTakeFirst()
  return { rows: Number(numDeletedRows), hasMore: firstLeft >= 0 || expired.length === limit }
}
