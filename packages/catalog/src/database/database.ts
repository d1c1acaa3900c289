import { type Generated, type Kysely, sql, type Transaction } from 'kysely'

export type Queries = Kysely<Schema>

/** Tables after the newest migration. Times are RFC 3339, UTC, with milliseconds. */
export interface Schema {
  /** One row: sequence number and time of the last commit, yank or undone yank. */
  catalog_state: { id: 1; sequence: number; updated_at: string }
  packs: PackTable
  versions: VersionTable
  sources: SourceTable
  accounts: AccountTable
  keys: KeyRow
  publish_tokens: TokenRow
  /** JSON under `mode`, or a key in base64 under `secret:NAME`. */
  settings: { name: string; value: string }
  jobs: JobRecord
  quota_days: QuotaTable
  audit_log: AuditTable & { id: Generated<number> }
  /** Tasks that one process at a time may do, until the lease expires. */
  leases: { name: string; holder: string; expires_at: string }
  account_codes: CodeTable
  /** The sections of versions: JSON, as `encodeOutline` writes it. */
  outlines: { sequence: number; data: string }
  /** Of the latest versions, in UTF-8; `null` for a text that UTF-8 cannot hold. */
  section_texts: { sequence: number; ordinal: number; sha256: Uint8Array; text: Uint8Array | null }
  search_state: SearchStateTable
  search_terms: SearchTermTable
  search_entries: SearchEntryTable
  sign_in_users: SignInUserTable
  sign_in_sessions: { id: string; userId: string }
  sign_in_credentials: SignInCredentialTable
}

/** A pack. Lists filter and sort by the columns after `latest`. */
export interface PackTable {
  /** Sequence number of its first commit, used as a short key. */
  number: number
  id: string
  slug: string
  /** Of its last commit, yank or undone yank. */
  sequence: number
  updated_at: string
  /** Sequence number of its newest committed version. */
  head: number
  /** Sequence number of its highest version that is not yanked; `null` hides the pack. */
  latest: number | null
  title_key: string
  domain: string
  domain_slug: string
  difficulty: string
  /** Content and header together. */
  tokens: number
  /** Hundredths of a per cent. */
  net_savings: number
}

/**
 * A version. Its sequence number is its key. Only its yank and signatures change, until it is
 * purged: then its number stays, and no text.
 */
export interface VersionTable {
  sequence: number
  pack: number
  major: number
  minor: number
  patch: number
  published_at: string
  source_digest: string
  parent: string | null
  /** JSON. */
  provenance: string
  /** JSON: the document's fields except its texts, so that lists need not read documents. */
  summary: string
  domain_slug: string
  difficulty: string
  /** Key of its bytes in `sources`; once purged, their keyed hash, or `null`. */
  source: string | null
  /** Sequence number of its purge, and its time and actor; `null` while it lives. */
  purge: number | null
  purged_at: string | null
  purged_by: string | null
  /** Not null while yanked, and once purged. */
  yanked_reason: string | null
  /** JSON; `null` if it is unsigned. */
  signatures: string | null
  /** First sentence of the text, from its preview; empty if there is none. */
  lead: string
  document: Uint8Array
}

/** One row: totals of the search index, and the next numbers. */
export interface SearchStateTable {
  id: 1
  /** Number of the analysis that made the index. */
  format: number
  sections: number
  /** Of all sections. */
  words: number
  next_entry: number
  next_term: number
}

export interface SearchTermTable {
  id: number
  term: string
  /** The words of this term that were indexed so far; empty for a filter or a run. */
  word: string
  /** Sections with it in their text or in headings. */
  sections: number
  /** Entries with it anywhere; a filter always has 1. A term without entries is not found. */
  entries: number
}

/** A section, or a pack as a whole. Postgres has more columns, for its index of terms. */
interface SearchEntryTable {
  /** In the order of indexing. */
  id: number
  pack: number
  /** Index of the section; -1 for the pack. */
  ordinal: number
  tokens: number
  vector: Uint8Array
}

interface SourceTable {
  sha256: string
  bytes: Uint8Array
  /** Last put or get, to a day; `null` once a version refers to it. */
  asked_at: string | null
}

export interface AccountTable {
  id: string
  email: string
  tier: string
  daily: number | null
  claim_hash: string | null
  claim_expires_at: string | null
  created_at: string
  /** When its address was verified; `null` while the account waits for its claim code, too. */
  proven_at: string | null
  disabled_at: string | null
  /** When all its sessions were ended and its keys revoked. */
  reset_at: string | null
  /** Tier and limit that it gets once its address is verified. */
  pending_tier: string | null
  pending_daily: number | null
}

interface CodeTable {
  /** SHA-256 of the code. */
  hash: string
  account_id: string
  kind: string
  expires_at: string
}

/** The tables of sign-in, as better-auth reads and writes them. Times are RFC 3339. */
interface SignInUserTable {
  id: string
  name: string
  email: string
  emailVerified: unknown
  createdAt: string
  updatedAt: string
  /** Missing only while a sign-up is incomplete. */
  accountId: string | null
}

interface SignInCredentialTable {
  id: string
  accountId: string
  providerId: string
  userId: string
  password: string | null
  createdAt: string
  updatedAt: string
}

/** A key as stored: its SHA-256, never its text. */
export interface KeyRow {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly sha256: string
  readonly last4: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly revoked_at: string | null
  /** When a new key replaced it; it stays valid until `expires_at`. */
  readonly rotated_at: string | null
}

/** A publish token as stored: its SHA-256, never its text. */
export interface TokenRow extends Omit<KeyRow, 'account_id' | 'rotated_at'> {
  /** What it may publish: a slug, or a pattern with one `*`. */
  readonly slug: string
}

export type JobState = 'waiting' | 'active' | 'completed' | 'failed'

/** A publish or a release that was accepted, or a member of a release. */
export interface JobRecord {
  readonly id: string
  readonly slug: string
  readonly state: JobState
  /** 0 to 100. */
  readonly progress: number
  readonly attempts: number
  readonly error: string | null
  readonly updated_at: string
  /** Name of the process that works on it; `null` if none does, and in a queue. */
  readonly owner: string | null
  /** Ascends in the order of acceptance; a release and its members have the same number. */
  readonly sequence: number
  /** Id of the release, for a member: it is done when its release is. */
  readonly release: string | null
  /** What to publish, as JSON; `null` for a release, whose members have it. */
  readonly data: string | null
  /** JSON: the results once it is done; the version that a member has built. */
  readonly result: string | null
}

/** Requests of an account on a UTC day, and how many the last statement granted. */
interface QuotaTable {
  account_id: string
  /** `2026-03-01`. */
  day: string
  used: number
  granted: number
}

/** A change that somebody made. A row cannot be changed, and is deleted after a year. */
export interface AuditTable {
  at: string
  action: string
  actor_kind: string
  actor_id: string | null
  /** Not a foreign key: entries outlive their account. */
  account_id: string | null
  target: string | null
  /** JSON. */
  details: string
}

export interface Connections {
  readonly queries: Queries
  readonly reads: Queries
  /** For counting requests: waits neither for commits nor for the disk. */
  readonly counts: Queries
  /** For asking whether the database answers: fails after two seconds. */
  readonly probes: Queries
  /** @throws CatalogError `catalog_unavailable` if another SQLite file is at the path by now */
  requireFile(): void
  close(): Promise<void>
}

/** A function of a database or its queries as a method of a store: without that parameter. */
export type Method<Call> = Call extends (database: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never

export interface Database extends Connections {
  readonly dialect: Dialect
  readonly now: () => Date
}

/** Everything that differs between SQLite and Postgres. */
export interface Dialect {
  readonly type: 'sqlite' | 'postgres'
  /** Column types: whole numbers up to 2^53, text ordered by code point, bytes. */
  readonly types: { readonly integer: string; readonly text: string; readonly bytes: string }
  hasTable(queries: Queries, table: string): Promise<boolean>
  /** Explains in a few words why the database cannot answer; `undefined` for any other error. */
  explainFailure(error: Error & { readonly code?: unknown }): string | undefined
  /** Empties the log of SQLite; returns whether it could. */
  emptyLog(queries: Queries): Promise<boolean>
}

/** Creates the table of requests per account and day, and its index by day, if they are missing. */
export async function createQuotaTable(queries: Queries, { types }: Dialect): Promise<void> {
  const integer = sql.raw(types.integer)
  const text = sql.raw(types.text)
  await sql`create table if not exists quota_days (
    account_id ${text} not null, day ${text} not null, used ${integer} not null, granted ${integer} not null,
    primary key (account_id, day)
  )`.execute(queries)
  await sql`create index if not exists quota_days_by_day on quota_days (day)`.execute(queries)
}

export interface Position {
  readonly sequence: number
  readonly updated_at: string
}

/**
 * Runs a change in a transaction under the one lock that orders all changes. The change calls
 * `advance` for each sequence number it needs.
 *
 * A failed change takes no number, so there are no gaps. Times never go back; the clock may.
 */
export async function changeCatalog<T>(
  { queries, now }: Database,
  change: (transaction: Transaction<Schema>, advance: () => Position) => Promise<T>,
): Promise<T> {
  return queries
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (transaction) => {
      const before = await lockPosition(transaction)
      const time = now().toISOString()
      const updated_at = time > before.updated_at ? time : before.updated_at
      let { sequence } = before
      const result = await change(transaction, () => ({ sequence: ++sequence, updated_at }))
      if (sequence > before.sequence) {
        await transaction.updateTable('catalog_state').set({ sequence, updated_at }).execute()
      }
      return result
    })
}

/** Returns the sequence number of the last change; 0 for none. */
export async function readSequence(queries: Queries): Promise<number> {
  const { sequence } = await queries.selectFrom('catalog_state').select('sequence').executeTakeFirstOrThrow()
  return sequence
}

/** Locks the row by an update in Postgres; SQLite has locked the file already. */
async function lockPosition(transaction: Queries): Promise<Position> {
  return transaction
    .updateTable('catalog_state')
    .set((builder) => ({ sequence: builder.ref('sequence') }))
    .returning(['sequence', 'updated_at'])
    .executeTakeFirstOrThrow()
}

/** Splits rows; the columns of 100 stay below the parameter limits of both databases. */
export function splitParts<T>(rows: readonly T[], size = 100): T[][] {
  const parts: T[][] = []
  for (let start = 0; start < rows.length; start += size) parts.push(rows.slice(start, start + size))
  return parts
}

/** Postgres indexes at most 2,700 bytes, and only few of 300 characters become several by NFKC. */
const MAX_KEY_LENGTH = 600

/** Replaces what a database cannot store by U+FFFD: lone surrogates and U+0000. */
export function cleanText(text: string): string {
  if (!/[\0\uD800-\uDFFF]/.test(text)) return text
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Key to sort titles by: NFKC, lower case, one small sigma; U+FFFD for what no database stores. */
export function deriveTitleKey(title: string): string {
  const key = title
    .toWellFormed()
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll('ς', 'σ')
    .replace(/[\0\uFFFE\uFFFF]/g, '\uFFFD')
  return key.length <= MAX_KEY_LENGTH ? key : Array.from(key).slice(0, MAX_KEY_LENGTH).join('')
}
