import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Signatures of versions. Older programs neither show nor change them. */
export const createSignatures: Migration = {
  name: '0009-signatures',
  olderMayContinue: true,
  async up(transaction, { dialect }) {
    const text = sql.raw(dialect.types.text)
    await sql`alter table versions add column signatures ${text}`.execute(transaction)
  },
}
