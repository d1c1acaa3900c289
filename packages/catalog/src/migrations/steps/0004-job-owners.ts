import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/**
 * The process that works on a job, to distinguish a running job from one whose process was killed.
 */
export const createJobOwners: Migration = {
  name: '0004-job-owners',
  olderMayContinue: true,
  async up(transaction, { dialect }) {
    await sql`alter table jobs add column owner ${sql.raw(dialect.types.text)}`.execute(transaction)
  },
}
