import { createRequire } from 'node:module'

/** Bytes on disk of a table with its indexes. */
export interface TableSize {
  readonly table: string
  readonly bytes: number
}

/** The tables of the search index, seen by the bare driver. */
export interface IndexTables {
  /** Returns the tables of the index, of outlines and of texts, the largest first, after a checkpoint or vacuum. */
  measure(): Promise<readonly TableSize[]>
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
      const rows = connection
        .prepare(
          `select case when name like 'search\\_postings%' escape '\\' then 'search_postings' else tbl_name end as "table",
            sum(pgsize) as bytes from dbstat join sqlite_schema using (name)
            where tbl_name like 'search\\_%' escape '\\' or tbl_name in ('outlines', 'section_texts')
            group by 1 order by 2 desc`,
        )
        .all()
      return Promise.resolve(rows)
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
      const { rows } =
        await client.query(`select relname as "table", pg_total_relation_size(oid) as bytes from pg_class
        where relkind = 'r' and (relname like 'search\\_%' or relname in ('outlines', 'section_texts')) order by 2 desc`)
      return rows.map(({ table, bytes }) => ({ table: String(table), bytes: Number(bytes) }))
    },
    async drop() {
      await client.query('drop table search_entries cascade')
    },
    close: () => client.end(),
  }
}

interface SqliteConnection {
  prepare(sql: string): { all(): TableSize[] }
  pragma(sql: string): unknown
  exec(sql: string): void
  close(): void
}

interface PostgresClient {
  connect(): Promise<void>
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>
  end(): Promise<void>
}
