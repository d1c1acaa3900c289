import type { EntryRow } from '@packs/search'
import { sql, type RawBuilder } from 'kysely'
import { readDriverCode } from '../database/translate-failures.ts'
import type { IndexedEntry, IndexTables } from './index-tables.ts'

/** Larger than the tokens of any entry. */
const NO_MAXIMUM = 2 ** 31 - 1

/**
 * New entries wait in a list until it has this size, in kB, because adding many at once to the
 * index is far cheaper. Every search reads the whole list.
 */
const PENDING_KB = 1024

/** Entries in Postgres have a GIN index of the numbers that `search_terms_of` decodes from them. */
export const postgresTables: IndexTables = {
  async createEntries(transaction) {
    await sql`create table search_entries (
      id integer primary key, ordinal integer not null, pack bigint not null, tokens integer not null,
      key_uses smallint not null, vector bytea not null, filters integer[] not null, unique (pack, ordinal)
    )`.execute(transaction)
    await sql.raw(TERMS_OF_ENTRY).execute(transaction)
    await sql`create index search_entries_by_term on search_entries
      using gin (search_terms_of(vector, key_uses, filters))
      with (fastupdate = on, gin_pending_list_limit = ${sql.lit(PENDING_KB)})`.execute(transaction)
    // No plan depends on these statistics, and decoding thousands of entries for them takes a second.
    await sql`alter index search_entries_by_term alter column 1 set statistics 0`.execute(transaction)
    for (const statement of [FIND_ALL_TERMS, FIND_ANY_TERM]) await sql.raw(statement).execute(transaction)
  },

  async dropEntries(transaction) {
    await sql`drop table if exists search_entries`.execute(transaction)
    for (const name of ['search_all_terms', 'search_any_term', 'search_terms_of'])
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

  async auditPostings(queries, entries) {
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

/**
 * Gives all lists the same length, as an array of arrays needs: a repeated term changes nothing.
 */
function padLists(lists: readonly (readonly number[])[]): number[][] {
  const length = Math.max(0, ...lists.map((all) => all.length))
  return lists.map((all) => [...all, ...Array.from({ length: length - all.length }, () => all[0]!)])
}

/**
 * Decodes a vector (`encodeVector` in `@packs/search`) into the numbers that an entry is found by:
 * its terms, those that it is mostly about once more as negative numbers, and its filters. An index
 * of this expression needs no second copy of the terms.
 *
 * A term is a key term if it is in a name (any of the low three bits of its flags), or if its uses
 * (the bits above) are enough.
 */
const TERMS_OF_ENTRY = `
  create function search_terms_of(vector bytea, key_uses smallint, filters integer[]) returns integer[]
  language plpgsql immutable strict parallel safe as $$
  declare
    size integer := length(vector);
    at integer := 0;
    byte integer;
    part integer := 0;
    scale integer := 1;
    term integer := 0;
    found integer := cardinality(filters);
    terms integer[] := filters;
  begin
    while get_byte(vector, at) > 127 loop at := at + 1; end loop;
    at := at + 1;
    while at < size loop
      byte := get_byte(vector, at);
      if byte > 127 then
        part := part + (byte - 128) * scale;
        scale := scale * 128;
        at := at + 1;
      else
        term := term + part + byte * scale;
        found := found + 1;
        terms[found] := term;
        byte := get_byte(vector, at + 1);
        if byte & 7 > 0 or byte >> 3 >= key_uses then
          found := found + 1;
          terms[found] := -term;
        end if;
        part := 0;
        scale := 1;
        at := at + 2;
      end if;
    end loop;
    return terms;
  end $$`

/**
 * The planner would rather read the table from its end than use the index if it takes a term for
 * frequent, and it does not know which terms occur together. So the functions that search allow no
 * other plan. Their working memory holds the positions of several hundred thousand pages, so that
 * the server need not decode entries to check them again.
 */
const SEARCH = `returns table (id integer, pack bigint, ordinal integer, tokens integer, vector bytea)
  language plpgsql stable set search_path from current set work_mem = '32MB'
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set jit = off`

const TERMS = 'search_terms_of(e.vector, e.key_uses, e.filters)'

const selectEntries = (condition: string): string => `
  select e.id, e.pack, e.ordinal, e.tokens, e.vector from search_entries e
    where ${condition} and e.tokens <= most order by e.id desc limit wanted;`

const FIND_ALL_TERMS = `
  create function search_all_terms(lists integer[], most integer, wanted integer) ${SEARCH} as $$
  #variable_conflict use_column
  declare list integer[];
  begin
    if cardinality(lists) = 0 then return; end if;
    foreach list slice 1 in array lists loop
      return query ${selectEntries(`${TERMS} @> list`)}
    end loop;
  end $$`

const FIND_ANY_TERM = `
  create function search_any_term(singles integer[], filters integer[], most integer, wanted integer) ${SEARCH} as $$
  #variable_conflict use_column
  begin
    if cardinality(singles) = 0 then return;
    elsif cardinality(search_any_term.filters) = 0 then
      return query ${selectEntries(`${TERMS} && singles`)}
    else
      return query ${selectEntries(`${TERMS} && singles and ${TERMS} @> search_any_term.filters`)}
    end if;
  end $$`
