import type { Database } from './program.ts'

/** Building the index at the end takes a tenth of the time. */
const DROP_INDEX = `create temp table definition as select pg_get_indexdef('search_entries_by_term'::regclass) as text;
  drop index search_entries_by_term`
const CREATE_INDEX = `do $$ begin execute (select text from definition); end $$;
  alter index search_entries_by_term alter column 1 set statistics 0`

/**
 * Copies every pack of a catalog in its tables, which takes minutes where publishing takes hours.
 * Each word is as frequent as before; words that only one text has are in each copy of it.
 *
 * @param copies of each pack, besides itself
 */
export async function growCatalog(database: Database, copies: number): Promise<void> {
  const isSqlite = database.name === 'SQLite'
  const series = isSqlite
    ? `(with recursive s (k) as (values (1) union all select k + 1 from s where k < ${copies}) select k from s) as s`
    : `generate_series(1, ${copies}) as s (k)`
  const size = '(select max(sequence) from catalog_state)'
  const entries = '(select next_entry - 1 from search_state)'
  const copy = (table: string, changed: Readonly<Record<string, string>>, same: string): string => {
    const names = [...Object.keys(changed), ...same.split(' ')].join(', ')
    const values = [...Object.values(changed), ...same.split(' ')].join(', ')
    return `insert into ${table} (${names}) select ${values} from ${table}, ${series}`
  }
  const move = (column: string): string => `${column} + k * ${size}`
  const entry = { id: `id + k * ${entries}`, pack: move('pack') }
  const state = `sections = sections * ${copies + 1}`
  // SQLite keeps no postings that can be read back but by its own vocabulary.
  const postings = `create virtual table temp.words using fts5vocab('main', 'search_postings', 'instance');
    create temp table lists as select doc, group_concat(term, ' ') as terms from temp.words group by doc;
    insert into search_postings (rowid, terms) select doc + k * ${entries}, terms from lists, ${series};`
  await database.run(
    [
      isSqlite ? postings : DROP_INDEX,
      copy('search_entries', entry, `ordinal tokens vector${isSqlite ? '' : ' key_uses filters'}`),
      copy('section_texts', { sequence: move('sequence') }, 'ordinal sha256 text'),
      copy('outlines', { sequence: move('sequence') }, 'data'),
      copy(
        'packs',
        {
          number: move('number'),
          id: `id || '-' || k`,
          slug: `slug || '-' || k`,
          sequence: move('sequence'),
          head: move('head'),
          latest: move('latest'),
        },
        'updated_at title_key domain domain_slug difficulty tokens net_savings',
      ),
      copy(
        'versions',
        { sequence: move('sequence'), pack: move('pack') },
        'major minor patch published_at source_digest parent provenance summary domain_slug difficulty yanked_reason signatures lead document',
      ),
      `update search_terms set ${state}, entries = entries * ${copies + 1}`,
      `update search_state set ${state}, words = words * ${copies + 1}, next_entry = ${entries} * ${copies + 1} + 1`,
      `update catalog_state set sequence = sequence * ${copies + 1}`,
      ...(isSqlite ? [] : [CREATE_INDEX]),
      'analyze',
    ].join(';\n'),
  )
}
