import { createHmac, hash } from 'node:crypto'
import { sql } from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import {
  type Database,
  cleanText,
  type Queries,
  splitParts,
  type VersionTable,
} from '../database/database.ts'
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

/**
 * Source files by SHA-256. Those of versions are kept until these are purged, others for 30 days
 * after the last use.
 */
export interface SourceStore {
  /**
   * Stores bytes and returns their SHA-256 in hexadecimal.
   * @param origin SHA-256 of the source that they are made of. @default their own
   * @throws CatalogError `purged_source`
   */
  put(bytes: Uint8Array, origin?: string): Promise<string>
  get(sha256: string): Promise<Uint8Array | undefined>
  /**
   * Refuses bytes that `put` would refuse, and stores nothing.
   * @throws CatalogError `purged_source`
   */
  check(bytes: Uint8Array): Promise<void>
}

/** Creates the store of source files in a database; equal bytes are stored once. */
export function createSourceStore({ queries, reads, now }: Database): SourceStore {
  const before = (ms: number): string => new Date(now().getTime() - ms).toISOString()

  return {
    check: (bytes) => requireUnpurged(reads, [hash('sha256', bytes)]),

    async put(bytes, origin) {
      const sha256 = hash('sha256', bytes)
      await requireUnpurged(reads, [origin ?? sha256])
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

/** Hashes a digest with a key: the digest of a short secret could be guessed. */
export function hashPurged(key: Uint8Array, sha256: string): string {
  return createHmac('sha256', key).update(sha256).digest('hex')
}

/**
 * Refuses sources that were purged, whatever pack they are for.
 * @throws CatalogError `purged_source`
 */
export async function requireUnpurged(queries: Queries, digests: readonly string[]): Promise<void> {
  const settings = queries.selectFrom('settings').select('value').where('name', '=', 'secret:purge')
  const key = await settings.executeTakeFirst()
  // There is none until the first purge.
  if (key === undefined) return
  for (const part of splitParts([...new Set(digests)], DIGESTS_PER_QUERY)) {
    const hashes = part.map((digest) => hashPurged(Buffer.from(key.value, 'base64'), digest))
    const found = await queries
      .selectFrom('versions')
      .innerJoin('packs', 'packs.number', 'versions.pack')
      .select(['packs.slug', 'major', 'minor', 'patch', 'purged_at', 'yanked_reason'])
      .where('versions.source', 'in', hashes)
      .executeTakeFirst()
    if (found === undefined) continue
    const name = `${found.slug}@${[found.major, found.minor, found.patch].join('.')}`
    throw new CatalogError(
      'purged_source',
      `This source is that of ${name}, which was purged on ${found.purged_at}: ${found.yanked_reason}`,
      'Change the text, so that it no longer has what was purged, then publish it.',
    )
  }
}

/** Keeps the sources of versions until these are purged, in the transaction of their commit. */
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

/** Removes sources, and the glossaries of versions, that no other version is made of. */
export async function removeSources(
  transaction: Queries,
  sources: readonly string[],
  versions: readonly Pick<VersionTable, 'provenance'>[],
): Promise<void> {
  const tables = versions.flatMap(({ provenance }) => /"tables":"[0-9a-f]{64}"/.exec(provenance)?.[0] ?? [])
  const isUsed = [
    ...sources.map((digest) => [digest, sql`source = ${digest}`] as const),
    ...[...new Set(tables)].map(
      (field) => [field.slice(10, -1), sql`provenance like ${`%${field}%`}`] as const,
    ),
  ]
  for (const [digest, condition] of isUsed)
    await sql`delete from sources where sha256 = ${digest}
      and not exists (select 1 from versions where ${condition})`.execute(transaction)
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
