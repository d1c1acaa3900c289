import { createRequire } from 'node:module'

/** The tables of the search index, seen by the bare driver. */
export interface IndexTables {
  /** Bytes on disk of the index and of the outlines, after a checkpoint or vacuum. */
  measure(): Promise<number>
  /** Drops the table that searches read first, so that commits go on without the index. */
  drop(): Promise<void>
  close(): Promise<void>
}

const load = createRequire(new URL('../../packages/catalog/package.json', import.meta.url))

export function openSqliteIndex(path: string): IndexTables {
  const Sqlite = load('better-sqlite3') as new (path: string) => SqliteConnection
  const connection = new Sqlite(path)
  return {
    measure() {
      connection.pragma('wal_checkpoint(TRUNCATE)')
      const { bytes } = connection
        .prepare(
          `select sum(pgsize) as bytes from dbstat where name in (select name from sqlite_schema
            where tbl_name like 'search\\_%' escape '\\' or tbl_name = 'outlines')`,
        )
        .get()
      return Promise.resolve(bytes)
    },
    drop: () => Promise.resolve(connection.exec('drop table search_postings')),
    close: () => Promise.resolve(connection.close()),
  }
}

export async function openPostgresIndex(url: string): Promise<IndexTables> {
  const { Client } = load('pg') as { Client: new (url: string) => PostgresClient }
  const client = new Client(url)
  await client.connect()
  return {
    async measure() {
      await client.query('vacuum analyze')
      const { rows } = await client.query(`select sum(pg_total_relation_size(oid)) as bytes from pg_class
        where relkind = 'r' and (relname like 'search\\_%' or relname = 'outlines')`)
      return Number(rows[0]?.['bytes'])
    },
    async drop() {
      await client.query('drop table search_entries cascade')
    },
    close: () => client.end(),
  }
}

interface SqliteConnection {
  prepare(sql: string): { get(): { bytes: number } }
  pragma(sql: string): unknown
  exec(sql: string): void
  close(): void
}

interface PostgresClient {
  connect(): Promise<void>
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>
  end(): Promise<void>
}
