import { createHash } from 'node:crypto'
import type { SourceStore } from '../catalog.ts'
import { cleanText } from '../database/normalize-text.ts'
import type { Database } from '../database/dialect.ts'
import type { Queries } from '../database/schema.ts'
import type { NewVersion } from '../types.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** A failed job of a queue can be tried again for a week, after it waited for as long as it had to. */
const RETENTION_MS = 30 * DAY_MS
/** Who asks writes at most once a day, as a source is a long row. */
const TOUCH_INTERVAL_MS = DAY_MS
/** Sources that one call removes, so that none takes long. */
const REMOVALS_PER_PUT = 100
const DIGESTS_PER_QUERY = 1000

/**
 * Source files in a database; the same bytes are kept once. Those of versions are kept for good, the others until nobody
 * has asked for them for 30 days.
 */
export function createSourceStore({ queries, reads, now }: Database): SourceStore {
  const before = (ms: number): string => new Date(now().getTime() - ms).toISOString()

  return {
    async put(bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
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
      // The bytes are kept: what cannot be removed now, as others remove it too, is removed with the next ones.
      await removeExpired(queries, before(RETENTION_MS)).catch(() => undefined)
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
          // Who only reads has it for 29 days more at least.
          .catch(() => undefined)
      }
      return row?.bytes
    },
  }
}

/** Keeps the sources of versions for good, in the transaction that commits these. */
export async function retainSources(transaction: Queries, versions: readonly NewVersion[]): Promise<void> {
  const digests = new Set(versions.map(({ provenance }) => provenance.source_sha256))
  for (const rest = [...digests]; rest.length > 0;) {
    await transaction
      .updateTable('sources')
      .set({ asked_at: null })
      .where('sha256', 'in', rest.splice(0, DIGESTS_PER_QUERY))
      .where('asked_at', 'is not', null)
      .execute()
  }
}

async function removeExpired(queries: Queries, end: string): Promise<void> {
  await queries
    .deleteFrom('sources')
    .where('sha256', 'in', (select) =>
      select
        .selectFrom('sources')
        .select('sha256')
        .where('asked_at', '<', end)
        .orderBy('asked_at')
        .limit(REMOVALS_PER_PUT),
    )
    // In Postgres one of them may have been asked for since it was found.
    .where('asked_at', '<', end)
    .execute()
}
