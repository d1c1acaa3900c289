import Sqlite from 'better-sqlite3'
import pg from 'pg'

/** Takes the lock of commits of a SQLite file, and holds it until the function it gives is called. */
export function holdSqliteLock(path: string): () => void {
  // The library of the catalog: a second one in the process would take away its locks when it closes the file.
  const connection = new Sqlite(path)
  connection.exec('begin immediate')
  return () => void connection.close()
}

/** A transaction in Postgres that stays open. */
export interface HeldTransaction {
  /** Asks on another connection. */
  ask(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  release(): Promise<void>
}

/** Runs SQL in a transaction of Postgres, and holds what it locked. */
export async function holdTransaction(url: string, sql: string): Promise<HeldTransaction> {
  const holder = new pg.Client({ connectionString: url })
  const asker = new pg.Client({ connectionString: url })
  // The server may be ended under them.
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
