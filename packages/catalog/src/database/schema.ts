import type { Generated, Kysely } from 'kysely'

/** Anything that runs queries: the database, or a transaction in it. */
export type Queries = Kysely<Schema>

/** Tables as the newest migration leaves them. Times are RFC 3339, UTC, with milliseconds. */
export interface Schema {
  catalog_state: StateTable
  packs: PackTable
  versions: VersionTable
  sources: SourceTable
  accounts: AccountTable
  keys: KeyTable
  settings: SettingTable
  jobs: JobTable
  quota_days: QuotaTable
}

/** One row: what the last commit, yank or undo left. */
interface StateTable {
  id: 1
  sequence: number
  updated_at: string
}

/** A pack and, in the columns behind `latest`, what lists filter and sort by. */
export interface PackTable {
  /** Sequence of its first commit: a short key. */
  number: number
  id: string
  slug: string
  /** Of its last commit, yank or undo. */
  sequence: number
  updated_at: string
  /** Its newest committed version. */
  head: number
  /** Its highest version that is not yanked; without one the pack is gone. */
  latest: number | null
  title_key: string
  domain: string
  domain_slug: string
  difficulty: string
  /** Content and header together. */
  tokens: number
  /** Hundredths of a per cent. */
  net_savings: number
  /** In Postgres alone. */
  title_grams?: string[]
}

/** A version, written once but for its yank. Its sequence is its key. */
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
  /** JSON: the document's fields without its texts, so that lists read no document. */
  summary: string
  domain_slug: string
  difficulty: string
  /** Set while yanked. */
  yanked_reason: string | null
  document: Uint8Array
}

interface SourceTable {
  sha256: string
  bytes: Uint8Array
  /** Where no version is of it: when it was put or asked for last, to a day; `null` else. */
  asked_at: string | null
}

export interface AccountTable {
  id: string
  email: string
  tier: string
  daily: number | null
  claim_hash: string | null
  claim_expires_at: string | null
  /** Hour of the last attempt at the claim, `2026-03-01T08`, and how many there were in it. */
  claim_hour: string | null
  claim_attempts: Generated<number>
  created_at: string
}

export interface KeyTable {
  id: string
  account_id: string
  name: string
  sha256: string
  last4: string
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
  /** Set when another was made in its place. */
  rotated_at: string | null
}

/** JSON by name: the mode, and secrets under `secret:` and their name. */
interface SettingTable {
  name: string
  value: string
}

interface JobTable {
  id: string
  slug: string
  state: string
  progress: number
  attempts: number
  error: string | null
  updated_at: string
  /** Set while active. */
  owner: string | null
}

/** Requests of an account on a UTC day, and how many of them the last statement granted. */
interface QuotaTable {
  account_id: string
  /** `2026-03-01`. */
  day: string
  used: number
  granted: number
}
