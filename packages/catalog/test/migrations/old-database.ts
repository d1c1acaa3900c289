import { readFileSync } from 'node:fs'
import { openRawClient, type RawClient } from './raw-client.ts'

type Value = string | number | null | readonly string[] | { readonly hex: string }

/**
 * Creates a database with the schema of step 0002, by the statements that the program of that time ran, DDL included: packs
 * with several versions, yanked ones, sources with and without a version, an account and jobs.
 */
export async function createOldDatabase(url: string): Promise<void> {
  const client = await openRawClient(url)
  for (const line of readLines(`at-0002.${client.type}.jsonl`)) {
    const [statement, parameters = []] = line as readonly [string, (readonly Value[])?]
    await client.run(statement, parameters.map(decode))
  }
  await client.close()
}

/** What the program of step 0005 made of that database, in one transaction at 2026-02-03T04:05:06.789Z. */
export function readExpected(type: RawClient['type']): readonly unknown[] {
  return readLines(`at-0005.${type}.jsonl`)
}

/** Describes tables, indexes and rows, each as a line, without triggers, the list of steps and optional quotation marks. */
export async function describeDatabase(url: string): Promise<readonly unknown[]> {
  const client = await openRawClient(url)
  const lines: unknown[] = [...(await client.run(client.type === 'sqlite' ? SQLITE_SCHEMA : POSTGRES_SCHEMA))]
  for (const table of ['packs', 'versions', 'sources', 'accounts', 'settings', 'jobs', 'catalog_state']) {
    const rows = await client.run(`select * from ${table} order by 1`)
    lines.push(...rows.map((row) => ({ table, ...row })))
  }
  await client.close()
  return lines.map((line) => JSON.parse(JSON.stringify(line)) as unknown)
}

const SQLITE_SCHEMA = `select type, name, replace(sql, '"', '') as sql from sqlite_master
  where type <> 'trigger' and tbl_name <> 'catalog_migrations' order by name`

const POSTGRES_SCHEMA = `select table_name || '.' || column_name as name,
    concat_ws(' ', ordinal_position, data_type, collation_name, is_nullable, column_default) as sql
  from information_schema.columns where table_schema = 'public' and table_name <> 'catalog_migrations'
  union all select indexname, indexdef from pg_indexes where schemaname = 'public' and tablename <> 'catalog_migrations'
  union all select conname, pg_get_constraintdef(oid) from pg_constraint
    where contype <> 'n' and connamespace = 'public'::regnamespace and conrelid <> 'catalog_migrations'::regclass
  order by 1, 2`

function readLines(name: string): readonly unknown[] {
  const text = readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
}

function decode(value: Value): unknown {
  return value !== null && typeof value === 'object' && 'hex' in value ? Buffer.from(value.hex, 'hex') : value
}
