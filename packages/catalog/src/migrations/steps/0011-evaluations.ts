import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Evaluations of versions. Older programs neither show nor change them. */
export const createEvaluations: Migration = {
  name: '0011-evaluations',
  olderMayContinue: true,
  async up(transaction, { dialect }) {
    const text = sql.raw(dialect.types.text)
    await sql`alter table versions add column evaluations ${text}`.execute(transaction)
  },
}
