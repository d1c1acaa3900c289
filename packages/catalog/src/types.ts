import type { Difficulty, Pack } from '@packs/codec/pack'

/** How a version came to be. */
export interface Provenance {
  /** SHA-256 of the whole source file, the key of its bytes in `sources`. */
  readonly source_sha256: string
  /** Path as the publisher named it, or `-`. */
  readonly path: string
  readonly git_commit: string | null
  readonly codec_version: string
  /** `pack_digest` of the version this one was decided against. */
  readonly parent_digest: string | null
  readonly job: string | null
  /** Why the version has the number it has, one sentence each. */
  readonly reasons: readonly string[]
  readonly options: BuildSettings
}

/** Build options as resolved; part of the source digest. */
export interface BuildSettings {
  readonly scheme: string
  readonly code: boolean
  readonly tokenizer: string
}

/** A version to be committed. */
export interface NewVersion {
  /** Sealed document; its `slug` and `version` name the version. */
  readonly pack: Pack
  /** SHA-256 of source bytes and settings: equal for what may count as published before. */
  readonly sourceDigest: string
  /** The newest committed version when this one was decided; `null` for the first. */
  readonly parent: string | null
  readonly provenance: Provenance
}

/** What a commit did. `unchanged`: this very version was there already, from the same source. */
export interface CommitResult {
  readonly status: 'published' | 'unchanged'
  readonly id: string
  readonly slug: string
  readonly version: string
  readonly sequence: number
}

/** The newest committed version of a pack (by time, yanked or not) and the highest number ever used. */
export interface PackHead {
  readonly id: string
  readonly slug: string
  readonly version: string
  readonly highest: string
  readonly sourceDigest: string
  readonly packDigest: string
  readonly provenance: Provenance
  readonly yanked: boolean
}

/** A version as it is stored, damaged or not, and what of its rows contradicts the rest. */
export interface VersionAudit {
  readonly sequence: number
  readonly document: Uint8Array
  readonly yanked: boolean
  readonly sourceDigest: string
  /** `undefined` where it cannot be read. */
  readonly provenance: Provenance | undefined
  /**
   * Columns that are not what the document, the provenance or the pack's other versions say, as `versions.parent`.
   * The time of publishing, the source and the reason of a yank follow from nothing: they are not compared.
   */
  readonly damaged: readonly string[]
}

/** Everything of a pack's latest version but its text. Times are RFC 3339, UTC, with milliseconds. */
export interface PackSummary extends Omit<
  Pack,
  'content' | 'rosetta' | 'preview_content' | 'title' | 'difficulty'
> {
  readonly title: string
  readonly difficulty: Difficulty
  readonly published_at: string
  readonly updated_at: string
}

/** One version with its document. */
export interface PackVersion extends PackSummary {
  /** The sealed document as it was committed, UTF-8 JSON: it never changes. */
  readonly document: Uint8Array
  readonly sequence: number
  readonly yanked: boolean
  readonly yanked_reason: string | null
}

/** A version as a yank or its undoing left it. */
export interface YankedVersion extends PackVersion {
  /** What it was yanked for before; `null` where it was not yanked. */
  readonly reason_before: string | null
}

/** One line of a pack's history. */
export interface VersionLine {
  readonly version: string
  readonly published_at: string
  readonly token_count: number
  readonly sha256: string
  readonly yanked: boolean
  readonly yanked_reason: string | null
}

/**
 * How a list is ordered: by title; the newest change first; the fewest tokens of content and header together first; the
 * highest net saving, per cent of the source's tokens, first. What ties is ordered by title, then id.
 */
export type PackOrder = 'title' | 'newest' | 'smallest' | 'saved'

/** What a list shows. Filters that are absent match all. */
export interface PackQuery {
  readonly domain?: string | undefined
  readonly difficulty?: Difficulty | undefined
  /** Words in any order, each a part of the title, whatever its case and Unicode form. */
  readonly search?: string | undefined
  /** Most tokens of content and header together. */
  readonly maxTokens?: number | undefined
  /** @default 'title' */
  readonly order?: PackOrder | undefined
  readonly limit: number
  readonly offset: number
}

/** What changed in the catalog after a sequence number: packs as they are now, oldest change first. */
export interface ChangeQuery {
  /** Changes after this sequence number; 0 for all. */
  readonly after: number
  /** Changes at or after this time, RFC 3339. */
  readonly since?: string | undefined
  readonly domain?: string | undefined
  readonly difficulty?: Difficulty | undefined
  /** Include packs that are gone (all versions yanked) as removals. */
  readonly removals: boolean
  readonly limit: number
  /** A page ends when its documents pass this many bytes; it has one at least. */
  readonly maxBytes: number
}

/** A pack as it is now, or that it is gone. */
export type Change =
  | { readonly sequence: number; readonly removed: false; readonly version: PackVersion }
  | {
      readonly sequence: number
      readonly removed: true
      readonly id: string
      readonly slug: string
      readonly updated_at: string
    }

/** A page of changes and where the next begins. */
export interface ChangePage {
  readonly changes: readonly Change[]
  /** Sequence of the last change looked at, to go on from. */
  readonly last: number
  readonly more: boolean
}

export type Tier = 'free' | 'pro'

/** Who may call: an account owns keys and an allowance. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly tier: Tier
  /** Requests a day instead of the tier's; `null` for the tier's own. */
  readonly daily: number | null
  readonly created_at: string
}

/** A key as it is stored: only its SHA-256. */
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
  /** When another was made in its place; it is good until `expires_at`. */
  readonly rotated_at: string | null
}

/** Whether the service answers; `recovery` refuses all of `/api/v1`. */
export interface Mode {
  readonly mode: 'online' | 'recovery'
  readonly since: string
  readonly message: string | null
  /** Seconds. */
  readonly retry_after: number | null
}

export type JobState = 'waiting' | 'active' | 'completed' | 'failed'

/** A publish that ran in process, as `pack jobs` shows it. */
export interface JobRecord {
  readonly id: string
  readonly slug: string
  readonly state: JobState
  /** 0 to 100. */
  readonly progress: number
  readonly attempts: number
  readonly error: string | null
  readonly updated_at: string
  /** The process that works on it, by the name it gave itself; `null` where none does. */
  readonly owner: string | null
}
