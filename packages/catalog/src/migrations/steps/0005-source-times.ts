import { sql } from 'kysely'
import type { Queries } from '../../database/schema.ts'
import type { Migration } from './migration.ts'

/** In SQLite, to update a source is to write all its bytes again. */
const MAX_BYTES = 4_000_000

/** Last use of sources without a version, so that they can expire. */
export const createSourceTimes: Migration = {
  name: '0005-source-times',
  olderMayContinue: true,

  async up(transaction, { dialect }) {
    await sql`alter table sources add column asked_at ${sql.raw(dialect.types.text)}`.execute(transaction)
  },

  /** Older programs store sources without this time, and commit versions without removing it. */
  async serveOlder(transaction, { dialect }) {
    const triggers = dialect.type === 'postgres' ? postgresTriggers : sqliteTriggers
    for (const statement of triggers) await sql.raw(statement).execute(transaction)
  },

  /**
   * Lists the sources of all versions in a table, then sets the time of the others. Each batch
   * first lists the versions that were committed since the batch before.
   */
  async backfill(transaction, { position, rows }, { dialect, now }) {
    if (position === undefined) {
      const text = sql.raw(dialect.types.text)
      await sql`create table referenced_sources (sha256 ${text} primary key)`.execute(transaction)
    }
    const sha256 = String(position?.['sha256'] ?? '')
    const listed = await listReferences(transaction, Number(position?.['sequence'] ?? 0), rows)
    if (listed.rows === rows) return { rows, next: { sequence: listed.last, sha256 } }
    const marked = await markOthers(transaction, sha256, rows, now())
    const count = listed.rows + marked.rows
    if (marked.last !== undefined)
      return { rows: count, next: { sequence: listed.last, sha256: marked.last } }
    await sql`drop table referenced_sources`.execute(transaction)
    return { rows: count, next: undefined }
  },

  indexes: [
    { name: 'sources_by_time', table: 'sources', columns: 'asked_at', where: 'asked_at is not null' },
  ],
}

async function listReferences(
  transaction: Queries,
  after: number,
  limit: number,
): Promise<{ readonly rows: number; readonly last: number }> {
  const rows = await transaction
    .selectFrom('versions')
    .select(['sequence', 'provenance'])
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute()
  const digests = rows.flatMap(({ provenance }) => readDigest(provenance) ?? [])
  if (digests.length > 0) {
    const values = digests.map((digest) => sql`(${digest})`)
    await sql`insert into referenced_sources (sha256) values ${sql.join(values)} on conflict do nothing`.execute(
      transaction,
    )
  }
  return { rows: rows.length, last: rows.at(-1)?.sequence ?? after }
}

/** Returns `undefined` for a damaged provenance, whose source is unknown. */
function readDigest(provenance: string): string | undefined {
  return /"source_sha256":"([0-9a-f]{64})"/.exec(provenance)?.[1]
}

/**
 * Sets the time of the next sources without a version. Returns the last source looked at;
 * `undefined` at the end.
 */
async function markOthers(
  transaction: Queries,
  after: string,
  limit: number,
  time: Date,
): Promise<{ readonly rows: number; readonly last: string | undefined }> {
  const { rows } = await sql<{ sha256: string; is_referenced: boolean | number }>`
    select sha256, exists (select 1 from referenced_sources r where r.sha256 = s.sha256) as is_referenced
    from sources s where sha256 > ${after} order by sha256 limit ${limit}`.execute(transaction)
  const others = rows.filter((row) => !row.is_referenced).map(({ sha256 }) => sha256)
  const marked = await limitBytes(transaction, others)
  if (marked.length > 0) {
    await transaction
      .updateTable('sources')
      .set({ asked_at: time.toISOString() })
      .where('sha256', 'in', marked)
      .where('asked_at', 'is', null)
      .execute()
  }
  if (marked.length < others.length) return { rows: marked.length, last: marked.at(-1) }
  return { rows: rows.length, last: rows.length < limit ? undefined : rows.at(-1)?.sha256 }
}

/** Returns the first of these sources, in order, up to a number of bytes; at least one. */
async function limitBytes(transaction: Queries, digests: readonly string[]): Promise<readonly string[]> {
  if (digests.length === 0) return []
  const rows = await transaction
    .selectFrom('sources')
    .select(['sha256', sql<number>`length(bytes)`.as('size')])
    .where('sha256', 'in', digests)
    .orderBy('sha256')
    .execute()
  let total = 0
  const end = rows.findIndex(({ size }, index) => (total += Number(size)) > MAX_BYTES && index > 0)
  return rows.slice(0, end < 0 ? rows.length : end).map(({ sha256 }) => sha256)
}

const sqliteTriggers = [
  `create trigger source_stored after insert on sources when new.asked_at is null begin
    update sources set asked_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') where sha256 = new.sha256;
  end`,
  `create trigger source_asked_for before insert on sources when new.asked_at is null begin
    update sources set asked_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
      where sha256 = new.sha256 and asked_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day');
  end`,
  `create trigger source_retained after insert on versions when json_valid(new.provenance) begin
    update sources set asked_at = null
      where sha256 = json_extract(new.provenance, '$.source_sha256') and asked_at is not null;
  end`,
]

const postgresTime = (time: string): string =>
  `to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const postgresTriggers = [
  `create function source_asked_for() returns trigger language plpgsql set search_path from current as $$ begin
    update sources set asked_at = ${postgresTime('now()')}
      where sha256 = new.sha256 and asked_at < ${postgresTime(`(now() - interval '1 day')`)};
    new.asked_at := ${postgresTime('now()')};
    return new;
  end $$`,
  `create trigger source_asked_for before insert on sources
    for each row when (new.asked_at is null) execute function source_asked_for()`,
  `create function source_retained() returns trigger language plpgsql set search_path from current as $$ begin
    update sources set asked_at = null
      where sha256 = substring(new.provenance from '"source_sha256":"([0-9a-f]{64})"') and asked_at is not null;
    return null;
  end $$`,
  `create trigger source_retained after insert on versions for each row execute function source_retained()`,
]
