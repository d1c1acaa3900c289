import type { Catalog } from '@packs/catalog'
import { sql } from 'kysely'

/** Every row of every table as text, with bytes as text too. */
export async function dumpRows(catalog: Catalog): Promise<string> {
  const { db } = catalog.database
  const tables = await (
    catalog.database.type === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{
          name: string
        }>`select table_name as name from information_schema.tables where table_schema = 'public'`
  ).execute(db)
  const texts: string[] = []
  for (const { name } of tables.rows)
    for (const row of (await sql<object>`select * from ${sql.table(name)}`.execute(db)).rows)
      for (const value of Object.values(row) as unknown[])
        texts.push(Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value))
  return texts.join('\n')
}
