import { setTimeout as wait } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import pg from 'pg'

export type Row = Readonly<Record<string, unknown>>

/** One connection to either kind of database, without the catalog. Parameters are `?` or `$1` as the database wants them. */
export interface RawClient {
  readonly type: 'sqlite' | 'postgres'
  run(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]>
  close(): Promise<void>
}

/** Opens a connection as the programs do: it waits 10 s for a lock, in SQLite by asking again every 25 ms. */
export async function openRawClient(url: string): Promise<RawClient> {
  return url.startsWith('postgres') ? openPostgres(url) : openSqlite(url)
}

async function openPostgres(url: string): Promise<RawClient> {
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === 20 ? Number : (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
  }
  const client = new pg.Client({ connectionString: url, lock_timeout: 10_000, types })
  client.on('error', () => undefined)
  await client.connect()
  return {
    type: 'postgres',
    run: async (sql, parameters = []) => (await client.query<Row>(sql, [...parameters])).rows,
    close: () => client.end(),
  }
}

function openSqlite(path: string): RawClient {
  const connection = new Sqlite(path)
  connection.pragma('journal_mode = WAL')
  connection.pragma('foreign_keys = ON')
  connection.pragma('busy_timeout = 0')
  const run = (sql: string, parameters: readonly unknown[]): readonly Row[] => {
    const statement = connection.prepare(sql)
    if (statement.reader) return statement.all(...parameters) as Row[]
    statement.run(...parameters)
    return []
  }
  return {
    type: 'sqlite',
    async run(sql, parameters = []) {
      for (let attempt = 0; ; attempt++) {
        try {
          return run(sql, parameters)
        } catch (error) {
          if (attempt >= 400 || !String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY'))
            throw error
        }
        await wait(25)
      }
    },
    close: () => Promise.resolve(void connection.close()),
  }
}
