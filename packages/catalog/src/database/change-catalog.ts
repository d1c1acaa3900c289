import type { Transaction } from 'kysely'
import type { Database } from './dialect.ts'
import type { Queries, Schema } from './schema.ts'

/** Sequence number and time of a change. */
export interface Position {
  readonly sequence: number
  readonly updated_at: string
}

/**
 * Runs a change in a transaction under the one lock that orders all changes. The change calls
 * `advance` for each sequence number it needs.
 *
 * A failed change takes no number, so there are no gaps. Times never go back; the clock may.
 */
export async function changeCatalog<T>(
  { queries, now }: Database,
  change: (transaction: Transaction<Schema>, advance: () => Position) => Promise<T>,
): Promise<T> {
  return queries
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (transaction) => {
      const before = await lockPosition(transaction)
      const time = now().toISOString()
      const updated_at = time > before.updated_at ? time : before.updated_at
      let { sequence } = before
      const result = await change(transaction, () => ({ sequence: ++sequence, updated_at }))
      if (sequence > before.sequence) {
        await transaction.updateTable('catalog_state').set({ sequence, updated_at }).execute()
      }
      return result
    })
}

/** Returns the sequence number of the last change; 0 for none. */
export async function readSequence(queries: Queries): Promise<number> {
  const { sequence } = await queries.selectFrom('catalog_state').select('sequence').executeTakeFirstOrThrow()
  return sequence
}

/** Locks the row by an update in Postgres; SQLite has locked the file already. */
async function lockPosition(transaction: Queries): Promise<Position> {
  return transaction
    .updateTable('catalog_state')
    .set((builder) => ({ sequence: builder.ref('sequence') }))
    .returning(['sequence', 'updated_at'])
    .executeTakeFirstOrThrow()
}
