import { openCatalog } from '@packs/catalog'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { makeSearchPacks } from './search-packs.ts'
import { closeLater } from '../../test-kit/test/close-later.ts'
import { usePostgres } from '../../test-kit/test/test-database.ts'

/** Every entry has the first term; no entry has the second. */
const CALLS: readonly (readonly [call: string, rows: number])[] = [
  [`search_any_term(array[$1]::integer[], '{}', 1000, 3)`, 3],
  [`search_any_term(array[$1, $2]::integer[], array[$1]::integer[], 1000, 3)`, 3],
  [`search_all_terms(array[[$1, $1]]::integer[], 1000, 3)`, 3],
  [`search_all_terms(array[[$1, $2]]::integer[], 1000, 3)`, 0],
]

describe('the functions that search in Postgres', async () => {
  const url = await (await usePostgres()).createDatabase()
  const catalog = await openCatalog({ url })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  closeLater(() => client.end())
  const run = async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows
  // A vacuum in the background, once the table has rows, would change what the planner knows of the index.
  await run('alter table search_entries set (autovacuum_enabled = off)')
  await catalog.packs.commit(makeSearchPacks(20))
  await catalog.close()
  await run('analyze')
  const [most] = await run('select id from search_terms order by entries desc limit 1')
  const term = most!['id']

  /** Begins a transaction that counts from zero. */
  const begin = async (): Promise<void> => {
    await run('select pg_stat_force_next_flush()')
    await run('begin')
  }
  const countScans = async (): Promise<unknown> => {
    const [scans] =
      await run(`select pg_stat_get_xact_numscans('search_entries'::regclass)::integer as table_scans,
      pg_stat_get_xact_numscans('search_entries_pkey'::regclass)::integer as key_scans,
      pg_stat_get_xact_numscans('search_entries_by_term'::regclass) > 0 as by_term`)
    return scans
  }

  it.each(CALLS)('read the index of terms only: %s', async (call, rows) => {
    await begin()
    const statement = call.replaceAll('$1', String(term)).replaceAll('$2', '2000000000')
    expect(await run(`select id from ${statement}`)).toHaveLength(rows)
    expect(await countScans()).toEqual({ table_scans: 0, key_scans: 0, by_term: true })
    await run('rollback')
  })

  it('would otherwise read the table', async () => {
    await begin()
    await run(`select id from search_entries e
      where search_keys_of(e.id, e.vector, e.key_uses, e.filters) @> array[${String(term)}]::bigint[] order by id desc limit 3`)
    expect(await countScans()).toEqual({ table_scans: 1, key_scans: 0, by_term: false })
    await run('rollback')
  })

  it('decode from an entry its terms, its key terms and its filters, above the number of its part', async () => {
    // Length 300; term 5 used once; term 205 twice; term 206 in a heading; term 70,000 used 31 times.
    const decode = (id: number): Promise<Record<string, unknown>[]> =>
      run(
        `select search_keys_of(${id}, decode('ac02 0508 c80110 0104 a2a104f8', 'hex'), 2::smallint, '{7,8}') as keys`,
      )
    const terms = [7, 8, 5, 205, -205, 206, -206, 70_000, -70_000]
    expect(await decode(65_535)).toEqual([{ keys: terms.map(String) }])
    expect(await decode(65_536)).toEqual([{ keys: terms.map((number) => String(2 ** 32 + number)) }])
  })

  it('find entries in every part, the newest first', async () => {
    await begin()
    // As if two packs had been indexed long before the others.
    await run('update search_state set next_entry = next_entry + 200000')
    await run('update search_entries set id = id + 200000 where pack > 2')
    const found = await run(
      `select id, pack from search_any_term(array[${String(term)}]::integer[], '{}', 1000, 1000)`,
    )
    const rows = await run('select id, pack from search_entries order by id desc')
    expect(found).toEqual(rows)
    const [few] = await run(`select count(*)::integer as n, min(pack)::integer as pack
      from search_all_terms(array[[${String(term)}, ${String(term)}]]::integer[], 1000, 5)`)
    expect(few!['n']).toBe(5)
    expect(few!['pack']).toBeGreaterThan(2)
    await run('rollback')
  })
})
