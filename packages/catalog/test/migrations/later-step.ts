import { sql } from 'kysely'
import type { Migration } from '../../src/migrations/steps/migration.ts'

/** A step of a later program: with `olderMayContinue` the table 9000, otherwise the table 9001. */
export function createLaterStep(olderMayContinue: boolean): Migration {
  const number = olderMayContinue ? 9000 : 9001
  return {
    name: `${number}-later`,
    olderMayContinue,
    async up(transaction) {
      await sql`create table ${sql.table(`later_${number}`)} (pack integer)`.execute(transaction)
      await sql`alter table packs add column ${sql.ref(`later_${number}`)} integer`.execute(transaction)
    },
    async backfill(transaction) {
      await sql`insert into ${sql.table(`later_${number}`)} select number from packs`.execute(transaction)
      return { rows: 1, next: undefined }
    },
    indexes: [{ name: `packs_later_${number}`, table: 'packs', columns: `later_${number}` }],
  }
}
