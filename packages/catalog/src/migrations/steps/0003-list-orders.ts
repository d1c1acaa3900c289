import { sql, type RawBuilder } from 'kysely'
import type { Dialect } from '../../database/dialect.ts'
import type { Migration } from './migration.ts'

const latest = { where: 'latest is not null' }

/** Columns and indexes for list orders other than by title. */
export const createListOrders: Migration = {
  name: '0003-list-orders',
  olderMayContinue: true,

  async up(transaction, { dialect }) {
    const integer = sql.raw(dialect.types.integer)
    await sql`alter table packs add column net_savings ${integer} not null default 0`.execute(transaction)
  },

  /**
   * Older programs change packs without this column. The first version of a pack is inserted after
   * its pack.
   */
  async serveOlder(transaction, { dialect }) {
    const triggers = dialect.type === 'postgres' ? postgresTriggers : sqliteTriggers
    for (const statement of triggers) await sql.raw(statement).execute(transaction)
  },

  async backfill(transaction, { position, rows }, { dialect }) {
    const after = Number(position?.['pack'] ?? 0)
    const packs = await transaction
      .selectFrom('packs')
      .select('number')
      .where('number', '>', after)
      .orderBy('number')
      .limit(rows)
      .execute()
    const last = packs.at(-1)?.number
    if (last === undefined) return { rows: 0, next: undefined }
    await sql`update packs set net_savings = ${readSavings(dialect, 'versions.summary')} from versions
      where versions.sequence = packs.latest and packs.number > ${after} and packs.number <= ${last}`.execute(
      transaction,
    )
    return { rows: packs.length, next: packs.length < rows ? undefined : { pack: last } }
  },

  indexes: [
    { name: 'packs_by_change', table: 'packs', columns: 'sequence desc, id', ...latest },
    { name: 'packs_by_tokens', table: 'packs', columns: 'tokens, title_key, id', ...latest },
    { name: 'packs_by_net_savings', table: 'packs', columns: 'net_savings desc, title_key, id', ...latest },
  ],
}

/**
 * Hundredths of a per cent from a summary, rounded like `Math.round`; 0 for a damaged summary. The
 * JSON functions of Postgres reject an escaped U+0000. A quotation mark inside a string of JSON is
 * escaped, so the pattern only finds the field.
 */
function readSavings({ type }: Dialect, summary: string): RawBuilder<number> {
  return sql.raw(type === 'postgres' ? postgresSavings(summary) : sqliteSavings(summary))
}

function postgresSavings(summary: string): string {
  const pattern = String.raw`"net_savings_pct":(-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)`
  return `coalesce(floor(substring(${summary} from '${pattern}')::float8 * 100 + 0.5)::bigint, 0)`
}

function sqliteSavings(summary: string): string {
  const number = `json_extract(${summary}, '$.net_savings_pct')`
  return `case when json_valid(${summary}) then coalesce(cast(floor(${number} * 100 + 0.5) as integer), 0) else 0 end`
}

const sqliteTriggers = [
  `create trigger net_savings_of_first after insert on versions begin
    update packs set net_savings = ${sqliteSavings('new.summary')}
      where number = new.pack and latest = new.sequence;
  end`,
  `create trigger net_savings_of_latest after update of latest on packs when new.latest is not null begin
    update packs set net_savings =
      coalesce((select ${sqliteSavings('summary')} from versions where sequence = new.latest), 0)
      where number = new.number;
  end`,
]

/** `pg_restore` empties the search path, so each function keeps the one of its creation. */
const postgresTriggers = [
  `create function net_savings_of_first() returns trigger language plpgsql set search_path from current as $$ begin
    update packs set net_savings = ${postgresSavings('new.summary')}
      where number = new.pack and latest = new.sequence
        and net_savings <> ${postgresSavings('new.summary')};
    return null;
  end $$`,
  `create trigger net_savings_of_first after insert on versions
    for each row execute function net_savings_of_first()`,
  `create function net_savings_of_latest() returns trigger language plpgsql set search_path from current as $$ begin
    new.net_savings := coalesce((select ${postgresSavings('summary')} from versions where sequence = new.latest), 0);
    return new;
  end $$`,
  `create trigger net_savings_of_latest before update of latest on packs
    for each row when (new.latest is not null) execute function net_savings_of_latest()`,
]
