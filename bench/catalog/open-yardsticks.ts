import { createRequire } from 'node:module'

/** Reads the same row with the bare driver, and measures the size of the database. */
export interface Yardstick {
  readRow(slug: string): Promise<unknown>
  /** Bytes on disk with indexes, after a checkpoint. */
  measureSize(): Promise<number>
  close(): Promise<void>
}

const SELECT = 'select v.* from packs p join versions v on v.sequence = p.latest where p.slug ='
const load = createRequire(new URL('../../packages/catalog/package.json', import.meta.url))

/** One statement, prepared once, through better-sqlite3. */
export function openSqliteYardstick(path: string): Yardstick {
  const Sqlite = load('better-sqlite3') as new (path: string) => SqliteConnection
  const connection = new Sqlite(path)
  const select = connection.prepare(`${SELECT} ?`)
  return {
    readRow: (slug) => Promise.resolve(select.get(slug)),
    measureSize() {
      connection.pragma('wal_checkpoint(TRUNCATE)')
      const pages = Number(connection.pragma('page_count', { simple: true }))
      return Promise.resolve(pages * Number(connection.pragma('page_size', { simple: true })))
    },
    close: () => Promise.resolve(connection.close()),
  }
}

/** One statement, prepared once, through one connection of pg. */
export async function openPostgresYardstick(url: string): Promise<Yardstick> {
  const { Client } = load('pg') as { Client: new (url: string) => PostgresClient }
  const client = new Client(url)
  await client.connect()
  return {
    async readRow(slug) {
      const { rows } = await client.query({ name: 'row', text: `${SELECT} $1`, values: [slug] })
      return rows[0]
    },
    async measureSize() {
      await client.query({ text: 'vacuum analyze' })
      const { rows } = await client.query({ text: 'select pg_database_size(current_database()) as size' })
      return Number(rows[0]?.['size'])
    },
    close: () => client.end(),
  }
}

interface SqliteConnection {
  prepare(sql: string): { get(value: string): unknown }
  pragma(sql: string, options?: { simple: boolean }): unknown
  close(): void
}

interface PostgresClient {
  connect(): Promise<void>
  query(query: {
    name?: string
    text: string
    values?: string[]
  }): Promise<{ rows: Record<string, unknown>[] }>
  end(): Promise<void>
}
