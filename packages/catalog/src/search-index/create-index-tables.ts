import { INDEX_FORMAT, type EntryRow, type EntryQuery, type Occurrence } from '@packs/search'
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Dialect, Queries } from '../database/database.ts'
import { readDriverCode } from '../database/translate-failures.ts'

/** A row of `search_entries`, with its terms by number. */
export interface IndexedEntry {
  readonly id: number
  readonly pack: number
  readonly ordinal: number
  readonly tokens: number
  /** As `encodeVector` writes it, and its occurrences. */
  readonly vector: Uint8Array
  readonly occurrences: ReadonlyMap<number, Occurrence>
  /** Terms that the entry is mostly about. */
  readonly keys: readonly number[]
  /** Terms that are in no text, such as the domain; those of the title for a pack as a whole. */
  readonly filters: readonly number[]
}

/** What differs between SQLite and Postgres in the tables of the index. */
export interface IndexTables {
  createEntries(transaction: Queries): Promise<void>
  dropEntries(transaction: Queries): Promise<void>
  /** Returns a table expression `j` with one row for each list; `item` reads its elements. */
  rows(lists: readonly (readonly unknown[])[]): RawBuilder<unknown>
  insertEntries(transaction: Queries, entries: readonly IndexedEntry[]): Promise<void>
  deleteEntries(transaction: Queries, ids: readonly number[]): Promise<void>
  /** Finds entries, the last indexed first. */
  findEntries(queries: Queries, query: EntryQuery): Promise<readonly EntryRow[]>
  /** Returns a condition that is true for rows of `packs` with at least one of these terms. */
  matchPacks(terms: readonly number[]): RawBuilder<SqlBool>
  /** Compares postings; returns the column that differs. SQLite finds no terms in excess. */
  examinePostings(queries: Queries, entries: readonly IndexedEntry[]): Promise<readonly string[]>
  isDamage(error: unknown): boolean
}

/** Reads an element of a row of {@link IndexTables.rows}. */
export const item = {
  integer: (index: number): RawBuilder<number> => sql`cast(j.value ->> ${sql.lit(index)} as integer)`,
  text: (index: number): RawBuilder<string> => sql`(j.value ->> ${sql.lit(index)})`,
}

export function indexTables({ type }: Pick<Dialect, 'type'>): IndexTables {
  return type === 'sqlite' ? sqliteTables : postgresTables
}

/** Creates the tables empty. A later change of them is a step of the schema too. */
export async function createIndexTables(transaction: Queries, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect.types.integer)
  const text = sql.raw(dialect.types.text)
  await sql`create table outlines (sequence ${integer} primary key, data ${text} not null)`.execute(
    transaction,
  )
  await sql`create table search_state (
    id integer primary key check (id = 1), format integer not null, sections ${integer} not null,
    words ${integer} not null, next_entry integer not null, next_term integer not null
  )`.execute(transaction)
  await sql`insert into search_state (id, format, sections, words, next_entry, next_term)
    values (1, ${sql.lit(INDEX_FORMAT)}, 0, 0, 1, 1)`.execute(transaction)
  // Counts change with every commit. Room in the pages of Postgres keeps such changes out of the indexes.
  const options = sql.raw(dialect.type === 'postgres' ? 'with (fillfactor = 90)' : '')
  await sql`create table search_terms (
    id integer primary key, sections integer not null, entries integer not null,
    term ${text} not null unique, word ${text} not null
  ) ${options}`.execute(transaction)
  await indexTables(dialect).createEntries(transaction)
  await createTextTable(transaction, dialect)
}

/** So that snippets and passages need not read and decode packs. */
export async function createTextTable(transaction: Queries, { types }: Dialect): Promise<void> {
  const [integer, bytes] = [sql.raw(types.integer), sql.raw(types.bytes)]
  await sql`create table if not exists section_texts (
    sequence ${integer} not null, ordinal integer not null, sha256 ${bytes} not null, text ${bytes},
    primary key (sequence, ordinal)
  )`.execute(transaction)
}

/** Drops these tables, also damaged ones, as far as they exist. */
export async function dropIndexTables(transaction: Queries, dialect: Dialect): Promise<void> {
  await indexTables(dialect).dropEntries(transaction)
  for (const table of ['outlines', 'section_texts', 'search_state', 'search_terms'])
    await sql`drop table if exists ${sql.table(table)}`.execute(transaction)
}

/**
 * Postings are a table of FTS5 without contents, whose words are numbers: `t1f` is a term or a
 * filter, `k1f` a key term. So no text of a query is ever a part of FTS5's query language.
 */
const sqliteTables: IndexTables = {
  async createEntries(transaction) {
    await sql`create table search_entries (
      id integer primary key, pack integer not null, ordinal integer not null, tokens integer not null,
      vector blob not null, unique (pack, ordinal)
    )`.execute(transaction)
    await sql`create virtual table search_postings using fts5(terms, content = '', contentless_delete = 1,
      detail = none, tokenize = 'ascii')`.execute(transaction)
  },

  async dropEntries(transaction) {
    await sql`drop table if exists search_entries`.execute(transaction)
    await sql`drop table if exists search_postings`.execute(transaction)
  },

  rows: listRows,

  async insertEntries(transaction, entries) {
    const rows = entries.map(({ id, pack, ordinal, tokens, vector }) => [
      id,
      pack,
      ordinal,
      tokens,
      Buffer.from(vector).toString('hex'),
    ])
    await sql`insert into search_entries (id, pack, ordinal, tokens, vector)
      select ${item.integer(0)}, ${item.integer(1)}, ${item.integer(2)}, ${item.integer(3)}, unhex(${item.text(4)})
      from ${listRows(rows)}`.execute(transaction)
    const postings = entries.map((entry) => [entry.id, listPostings(entry).map(nameTerm).join(' ')])
    await sql`insert into search_postings (rowid, terms)
      select j.value ->> 0, j.value ->> 1 from ${listRows(postings)}`.execute(transaction)
  },

  async deleteEntries(transaction, ids) {
    const rows = listRows(ids.map((id) => [id]))
    for (const [table, column] of [
      ['search_postings', 'rowid'],
      ['search_entries', 'id'],
    ] as const)
      await sql`delete from ${sql.table(table)}
        where ${sql.ref(column)} in (select ${item.integer(0)} from ${rows})`.execute(transaction)
  },

  async findEntries(queries, { any, filters, maxTokens, limit }) {
    const lists = any.map((all) => [...all, ...filters]).filter((all) => all.length > 0)
    if (lists.length === 0) return []
    const most = maxTokens === undefined ? sql`` : sql`and e.tokens <= ${maxTokens}`
    const { rows } = await sql<EntryRow>`select e.pack, e.ordinal, e.tokens, e.vector
      from search_postings p cross join search_entries e on e.id = p.rowid
      where p.search_postings match ${formatQuery(lists)} ${most} order by p.rowid desc limit ${limit}`.execute(
      queries,
    )
    return rows
  },

  matchPacks: (terms) => sql`packs.number in (select e.pack from search_postings p
    cross join search_entries e on e.id = p.rowid
    where p.search_postings match ${formatQuery(terms.map((term) => [term]))})`,

  /** Compares numbers of terms, because a question to FTS5 reads the postings of every term. */
  async examinePostings(queries, entries) {
    const ids = listRows(entries.map(({ id }) => [id]))
    const { rows } = await sql<{ id: number; size: Uint8Array }>`select id, sz as size
      from search_postings_docsize where id in (select ${item.integer(0)} from ${ids})`.execute(queries)
    // Integers of SQLite's file format: seven bits a byte, the highest first.
    const sizes = new Map(
      rows.map(({ id, size }) => [id, size.reduce((value, byte) => value * 128 + (byte & 127), 0)]),
    )
    const isSame = entries.every((entry) => sizes.get(entry.id) === countPostings(entry))
    return isSame ? [] : ['search_postings.terms']
  },

  isDamage: (error) => /^SQLITE_(ERROR|CORRUPT|CONSTRAINT|MISMATCH)/.test(String(readDriverCode(error))),
}

function listRows(lists: readonly (readonly unknown[])[]): RawBuilder<unknown> {
  return sql`json_each(${JSON.stringify(lists)}) as j`
}

function countPostings({ occurrences, filters, keys }: IndexedEntry): number {
  return occurrences.size + filters.length + keys.length
}

function listPostings({ occurrences, filters, keys }: IndexedEntry): number[] {
  return [...occurrences.keys(), ...filters, ...keys.map((term) => -term)]
}

function nameTerm(term: number): string {
  return `${term < 0 ? 'k' : 't'}${Math.abs(term).toString(36)}`
}

/** An entry matches if it has all terms of one of the lists. */
function formatQuery(lists: readonly (readonly number[])[]): string {
  return lists.map((all) => `(${all.map(nameTerm).join(' AND ')})`).join(' OR ')
}

/** Larger than the tokens of any entry. */
const NO_MAXIMUM = 2 ** 31 - 1

/** Size in kB of the list in which new entries wait, which every search reads. */
const PENDING_KB = 1024

/** Entries in Postgres have a GIN index of the numbers that `search_keys_of` decodes from them. */
const postgresTables: IndexTables = {
  async createEntries(transaction) {
    await sql`create table search_entries (
      id integer primary key, ordinal integer not null, pack bigint not null, tokens integer not null,
      key_uses smallint not null, vector bytea not null, filters integer[] not null, unique (pack, ordinal)
    )`.execute(transaction)
    await sql.raw(KEYS_OF_ENTRY).execute(transaction)
    await sql`create index search_entries_by_term on search_entries
      using gin (search_keys_of(id, vector, key_uses, filters))
      with (fastupdate = on, gin_pending_list_limit = ${sql.lit(PENDING_KB)})`.execute(transaction)
    // No plan depends on these statistics, and decoding thousands of entries for them takes a second.
    await sql`alter index search_entries_by_term alter column 1 set statistics 0`.execute(transaction)
    for (const statement of [FIND_ALL_TERMS, FIND_ANY_TERM]) await sql.raw(statement).execute(transaction)
  },

  async dropEntries(transaction) {
    await sql`drop table if exists search_entries`.execute(transaction)
    for (const name of ['search_all_terms', 'search_any_term', 'search_keys_of'])
      await sql`drop function if exists ${sql.ref(name)}`.execute(transaction)
  },

  rows: createRows,

  async insertEntries(transaction, entries) {
    const rows = entries.map(({ id, ordinal, pack, tokens, vector, ...entry }) => [
      id,
      ordinal,
      pack,
      tokens,
      findKeyUses(entry),
      `\\x${Buffer.from(vector).toString('hex')}`,
      formatArray(entry.filters),
    ])
    await sql`insert into search_entries (id, ordinal, pack, tokens, key_uses, vector, filters)
      select (j.value ->> 0)::integer, (j.value ->> 1)::integer, (j.value ->> 2)::bigint, (j.value ->> 3)::integer,
        (j.value ->> 4)::smallint, (j.value ->> 5)::bytea, (j.value ->> 6)::integer[]
      from ${createRows(rows)}`.execute(transaction)
  },

  async deleteEntries(transaction, ids) {
    await sql`delete from search_entries where id = any(${ids}::integer[])`.execute(transaction)
  },

  async findEntries(queries, { any, filters, maxTokens = NO_MAXIMUM, limit }) {
    const isSingle = (all: readonly number[]): boolean => all.length === 1
    const singles = any.filter(isSingle).flat()
    const lists = any
      .filter((all) => !isSingle(all))
      .map((all) => [...all, ...filters])
      .filter((all) => all.length > 0)
    const most = Math.min(Math.floor(maxTokens), NO_MAXIMUM)
    const { rows } = await sql<EntryRow>`select pack, ordinal, tokens, vector from (
      select distinct on (id) * from (
        select * from search_any_term(${singles}::integer[], ${filters}::integer[], ${most}, ${limit})
        union all select * from search_all_terms(${padLists(lists)}::integer[], ${most}, ${limit})
      ) as found order by id desc limit ${limit}
    ) as entries order by id desc`.execute(queries)
    return rows
  },

  matchPacks: (terms) => sql`packs.number in (select pack
    from search_any_term(${terms}::integer[], '{}'::integer[], ${NO_MAXIMUM}, ${NO_MAXIMUM}))`,

  async examinePostings(queries, entries) {
    const rows = entries.map((entry) => [entry.id, findKeyUses(entry), formatArray(entry.filters)])
    const { rows: differing } = await sql`select 1 from ${createRows(rows)}
      left join search_entries e on e.id = (j.value ->> 0)::integer
      where (e.key_uses, e.filters) is distinct from ((j.value ->> 1)::smallint, (j.value ->> 2)::integer[])`.execute(
      queries,
    )
    return differing.length > 0 ? ['search_entries.filters'] : []
  },

  // Statements, integrity, data, functions, and the server's own checks of tables.
  isDamage: (error) => /^(42|23|22|XX|P0)/.test(String(readDriverCode(error))),
}

function createRows(lists: readonly (readonly unknown[])[]): RawBuilder<unknown> {
  return sql`json_array_elements(${JSON.stringify(lists)}::json) as j (value)`
}

/** Returns the uses from which on a term is a key term of an entry, though in none of its names. */
function findKeyUses({ occurrences, keys }: Pick<IndexedEntry, 'occurrences' | 'keys'>): number {
  const keyTerms = new Set(keys)
  let most = 0
  for (const [term, { uses }] of occurrences) if (!keyTerms.has(term)) most = Math.max(most, uses)
  return most + 1
}

function formatArray(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`
}

/** An array of arrays needs lists of one length: a repeated term changes nothing. */
function padLists(lists: readonly (readonly number[])[]): number[][] {
  const length = Math.max(0, ...lists.map((all) => all.length))
  return lists.map((all) => [...all, ...Array.from({ length: length - all.length }, () => all[0]!)])
}

/**
 * Entries in a part of the index, as a power of two. A search reads the newest part first, and
 * stops when it has enough. If terms were not kept by part, it would read all places of each common
 * word: in a million sections 200,000.
 */
const PART_BITS = 16

/**
 * Decodes a vector (`encodeVector` in `@packs/search`) into the numbers that an entry is found by:
 * its terms, those that it is mostly about once more as negative numbers, and its filters, each
 * above the number of its part. An index of this expression needs no second copy of the terms.
 *
 * A term is a key term if it is in a name (any of the low three bits of its flags), or if its uses
 * (the bits above) are enough.
 */
const KEYS_OF_ENTRY = `
  create function search_keys_of(id integer, vector bytea, key_uses smallint, filters integer[]) returns bigint[]
  language plpgsql immutable strict parallel safe as $$
  declare
    size integer := length(vector);
    at integer := 0;
    byte integer;
    rest integer := 0;
    scale integer := 1;
    term bigint := 0;
    base bigint := (id >> ${PART_BITS})::bigint << 32;
    keys bigint[] := array(select base + filter from unnest(filters) as filter);
    found integer := cardinality(filters);
  begin
    while get_byte(vector, at) > 127 loop at := at + 1; end loop;
    at := at + 1;
    while at < size loop
      byte := get_byte(vector, at);
      if byte > 127 then
        rest := rest + (byte - 128) * scale;
        scale := scale * 128;
        at := at + 1;
      else
        term := term + rest + byte * scale;
        found := found + 1;
        keys[found] := base + term;
        byte := get_byte(vector, at + 1);
        if byte & 7 > 0 or byte >> 3 >= key_uses then
          found := found + 1;
          keys[found] := base - term;
        end if;
        rest := 0;
        scale := 1;
        at := at + 2;
      end if;
    end loop;
    return keys;
  end $$`

/**
 * The planner would rather read the table from its end than use the index if it takes a term for
 * frequent, and it does not know which terms occur together. So the functions that search allow no
 * other plan, and no workers, which take longer to start than a part to read. Their working memory
 * holds the positions of several hundred thousand pages, so that the server need not decode entries
 * to check them again.
 */
const SEARCH = `returns table (id integer, pack bigint, ordinal integer, tokens integer, vector bytea)
  language plpgsql stable set search_path from current set work_mem = '32MB'
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set jit = off
  set max_parallel_workers_per_gather = 0`

const KEYS = 'search_keys_of(e.id, e.vector, e.key_uses, e.filters)'
const VARIABLES = 'declare part integer; missing integer; got integer;'

/** In the parts of the index from the newest on, until there are enough. */
const selectNewest = (condition: string): string => `
  part := (select next_entry from search_state) >> ${PART_BITS};
  missing := wanted;
  while missing > 0 and part >= 0 loop
    return query select e.id, e.pack, e.ordinal, e.tokens, e.vector from search_entries e
      where ${condition} and e.tokens <= most order by e.id desc limit missing;
    get diagnostics got = row_count;
    missing := missing - got;
    part := part - 1;
  end loop;`

const inPart = (terms: string): string =>
  `array(select (part::bigint << 32) + term from unnest(${terms}) as term)`

const FIND_ALL_TERMS = `
  create function search_all_terms(lists integer[], most integer, wanted integer) ${SEARCH} as $$
  #variable_conflict use_column
  ${VARIABLES} list integer[];
  begin
    if cardinality(lists) = 0 then return; end if;
    foreach list slice 1 in array lists loop ${selectNewest(`${KEYS} @> ${inPart('list')}`)}
    end loop;
  end $$`

const FIND_ANY_TERM = `
  create function search_any_term(singles integer[], filters integer[], most integer, wanted integer) ${SEARCH} as $$
  #variable_conflict use_column
  ${VARIABLES}
  begin
    if cardinality(singles) = 0 then return;
    elsif cardinality(search_any_term.filters) = 0 then ${selectNewest(`${KEYS} && ${inPart('singles')}`)}
    else ${selectNewest(`${KEYS} && ${inPart('singles')} and ${KEYS} @> ${inPart('search_any_term.filters')}`)}
    end if;
  end $$`
