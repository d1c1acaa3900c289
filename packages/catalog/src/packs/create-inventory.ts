import { hash } from 'node:crypto'
import type { Inventory } from '../catalog.ts'
import type { Database } from '../database/dialect.ts'
import { formatVersion } from './version-row.ts'

/** Creates the inventory of a database. */
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
