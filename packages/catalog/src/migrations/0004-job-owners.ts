import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Who works on a job, so that one whose process was killed is told from one that is under way. */
export const createJobOwners: Migration = {
  name: '0004-job-owners',
  async up(transaction, { dialect }) {
    await sql`alter table jobs add column owner ${sql.raw(dialect.types.text)}`.execute(transaction)
  },
}
