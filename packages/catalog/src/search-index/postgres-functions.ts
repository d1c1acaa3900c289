/**
 * Decodes a vector (`encodeVector` in `@packs/search`) into the numbers that an entry is found by: its terms, those that it is
 * mostly about once more as negative numbers, and its filters. An index of this expression needs no second copy of the terms.
 *
 * A term is a key term if it is in a name (any of the low three bits of its flags), or if its uses (the bits above) are enough.
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
 * The planner would rather read the table from its end than use the index where it takes a term for frequent, and it does not
 * know which terms occur together. So the functions that search allow no other plan. Their memory keeps the places of some
 * hundred thousand pages, so that the server need not decode entries to check them again.
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

/** Statements that create what the index of entries needs, and what searches it. */
export const entryFunctions: readonly string[] = [TERMS_OF_ENTRY]
export const searchFunctions: readonly string[] = [FIND_ALL_TERMS, FIND_ANY_TERM]
