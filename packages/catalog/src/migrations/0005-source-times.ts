import { sql } from 'kysely'
import type { Queries } from '../database/schema.ts'
import type { Migration } from './migration.ts'

/** Versions read with one statement. */
const ROWS = 1000

/** Last use of sources without a version, so that they can expire. */
export const createSourceTimes: Migration = {
  name: '0005-source-times',
  async up(transaction, { dialect, now }) {
    const text = sql.raw(dialect.types.text)
    await sql`alter table sources add column asked_at ${text}`.execute(transaction)
    await sql`create index sources_by_time on sources (asked_at) where asked_at is not null`.execute(
      transaction,
    )
    await sql`create table referenced_sources (sha256 ${text} primary key)`.execute(transaction)
    await listReferences(transaction)
    await sql`update sources set asked_at = ${now().toISOString()}
      where not exists (select 1 from referenced_sources where referenced_sources.sha256 = sources.sha256)`.execute(
      transaction,
    )
    await sql`drop table referenced_sources`.execute(transaction)
  },
}

async function listReferences(transaction: Queries): Promise<void> {
  for (let last = 0; ;) {
    const rows = await transaction
      .selectFrom('versions')
      .select(['sequence', 'provenance'])
      .where('sequence', '>', last)
      .orderBy('sequence')
      .limit(ROWS)
      .execute()
    if (rows.length === 0) return
    const digests = rows.flatMap(({ provenance }) => readDigest(provenance) ?? [])
    if (digests.length > 0) {
      const values = digests.map((digest) => sql`(${digest})`)
      await sql`insert into referenced_sources (sha256) values ${sql.join(values)} on conflict do nothing`.execute(
        transaction,
      )
    }
    last = rows.at(-1)?.sequence ?? last
  }
}

/** Returns `undefined` for a damaged provenance, whose source is unknown. */
function readDigest(provenance: string): string | undefined {
  return /"source_sha256":"([0-9a-f]{64})"/.exec(provenance)?.[1]
}
