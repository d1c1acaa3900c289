import { sql } from 'kysely'
import type { Queries } from '../database/schema.ts'
import type { Migration } from './migration.ts'

/** Packs updated with one statement. */
const ROWS = 1000

/** Columns and indexes for list orders other than by title. */
export const createListOrders: Migration = {
  name: '0003-list-orders',
  async up(transaction, { dialect }) {
    const integer = sql.raw(dialect.types.integer)
    await sql`alter table packs add column net_savings ${integer} not null default 0`.execute(transaction)
    await fillNetSavings(transaction)
    const orders = [
      ['packs_by_change', 'sequence desc, id'],
      ['packs_by_tokens', 'tokens, title_key, id'],
      ['packs_by_net_savings', 'net_savings desc, title_key, id'],
    ] as const
    for (const [name, columns] of orders) {
      await sql`create index ${sql.ref(name)} on packs (${sql.raw(columns)}) where latest is not null`.execute(
        transaction,
      )
    }
  },
}

/** Parses the summaries here, because the JSON functions of Postgres reject an escaped U+0000. */
async function fillNetSavings(transaction: Queries): Promise<void> {
  for (let last = 0; ;) {
    const rows = await transaction
      .selectFrom('packs')
      .innerJoin('versions', 'versions.sequence', 'packs.latest')
      .select(['packs.number', 'versions.summary'])
      .where('packs.number', '>', last)
      .orderBy('packs.number')
      .limit(ROWS)
      .execute()
    if (rows.length === 0) return
    const figures = rows.map(({ number, summary }) => {
      const { net_savings_pct } = JSON.parse(summary) as { readonly net_savings_pct: number }
      return sql`(${sql.lit(number)}, ${sql.lit(Math.round(net_savings_pct * 100))})`
    })
    await sql`with figures (number, net_savings) as (values ${sql.join(figures)})
      update packs set net_savings = figures.net_savings from figures where packs.number = figures.number`.execute(
      transaction,
    )
    last = rows.at(-1)?.number ?? last
  }
}
