import { hash } from 'node:crypto'
import type { Database } from '../database/dialect.ts'
import type { VersionName } from '../types.ts'
import { formatVersion } from './version-row.ts'

/** Lists what the catalog stores, for checks of all of it. Damage to a row does not end a list. */
export interface Inventory {
  /** Returns how many versions come after a sequence number. */
  countVersions(after: number): Promise<number>
  /**
   * Returns the names of the versions after a sequence number, yanked ones too, in the order of
   * their commits.
   */
  versions(after: number, limit: number): Promise<readonly VersionName[]>
  /** Returns the slugs of packs without versions, which only damage can cause. */
  emptyPacks(limit: number): Promise<readonly string[]>
  /**
   * Returns the keys of sources that no version refers to, after a key, with the digests of their
   * bytes. Reading them does not keep them longer.
   */
  waitingSources(after: string, limit: number): Promise<readonly { sha256: string; found: string }[]>
}

export function createInventory({ reads }: Database): Inventory {
  return {
    async countVersions(after) {
      const { count } = await reads
        .selectFrom('versions')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('sequence', '>', after)
        .executeTakeFirstOrThrow()
      return count
    },

    async versions(after, limit) {
      const rows = await reads
        .selectFrom('versions')
        .leftJoin('packs', 'packs.number', 'versions.pack')
        .select(['versions.sequence', 'versions.major', 'versions.minor', 'versions.patch', 'packs.slug'])
        .where('versions.sequence', '>', after)
        .orderBy('versions.sequence')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ sequence: row.sequence, slug: row.slug, version: formatVersion(row) }))
    },

    async emptyPacks(limit) {
      const rows = await reads
        .selectFrom('packs')
        .leftJoin('versions', 'versions.pack', 'packs.number')
        .select('packs.slug')
        .where('versions.sequence', 'is', null)
        .limit(limit)
        .execute()
      return rows.map(({ slug }) => slug)
    },

    async waitingSources(after, limit) {
      const rows = await reads
        .selectFrom('sources')
        .select('sha256')
        .where('asked_at', 'is not', null)
        .where('sha256', '>', after)
        .orderBy('sha256')
        .limit(limit)
        .execute()
      const digests: { sha256: string; found: string }[] = []
      for (const { sha256 } of rows) {
        const source = await reads
          .selectFrom('sources')
          .select('bytes')
          .where('sha256', '=', sha256)
          .executeTakeFirst()
        // It may have expired since.
        if (source !== undefined) digests.push({ sha256, found: hash('sha256', source.bytes) })
      }
      return digests
    },
  }
}
