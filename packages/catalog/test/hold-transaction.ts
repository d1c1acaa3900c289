import Sqlite from 'better-sqlite3'
import pg from 'pg'

/** Takes the commit lock of a SQLite file and returns a function that releases it. */
export function holdSqliteLock(path: string): () => void {
  // Uses the catalog's own library: a second one in the process would drop its locks when closing the file.
  const connection = new Sqlite(path)
  connection.exec('begin immediate')
  return () => void connection.close()
}

/** An open transaction in Postgres. */
export interface HeldTransaction {
  /** Runs a query on another connection. */
  ask(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  release(): Promise<void>
}

/** Runs SQL in a Postgres transaction and keeps it open, with its locks. */
export async function holdTransaction(url: string, sql: string): Promise<HeldTransaction> {
  const holder = new pg.Client({ connectionString: url })
  const asker = new pg.Client({ connectionString: url })
  // The test may stop the server while these are connected.
  for (const client of [holder, asker]) client.on('error', () => undefined)
  await holder.connect()
  await asker.connect()
  await holder.query(`begin; ${sql}`)
  return {
    ask: async (question) => (await asker.query<Record<string, unknown>>(question)).rows,
    async release() {
      await holder.end()
      await asker.end()
    },
  }
}
