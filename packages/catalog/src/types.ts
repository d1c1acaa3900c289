import type { DamagedVersion } from './catalog-error.ts'
import type { PackSignature } from '@packs/codec/internal'
import type { Difficulty, Pack } from '@packs/codec/pack'
import type { Actor } from './audit/create-audit-store.ts'
import type { PackTable } from './database/database.ts'

export interface Provenance {
  /** SHA-256 of the whole source file, its key in `sources`. */
  readonly source_sha256: string
  /** Absent if every value comes from the source file or was assumed. */
  readonly given?: SourceDefaultsRecord
  /** Path as given by the publisher, or `-`. */
  readonly path: string
  readonly git_commit: string | null
  readonly codec_version: string
  /** `pack_digest` of the parent version. */
  readonly parent_digest: string | null
  readonly job: string | null
  readonly reasons: readonly string[]
  readonly options: BuildSettings
}

/** Values from outside of a source's file, which its digest covers. */
export interface SourceDefaultsRecord {
  readonly slug?: string
  readonly title?: string
  readonly domain?: string
  readonly subdomain?: string
  readonly difficulty?: string
  readonly compression?: string
  readonly budget?: number
  readonly worthHeader?: { readonly percent: number; readonly tokens: number }
  readonly minify?: { readonly dialect?: readonly string[]; readonly off?: readonly string[] }
  readonly url?: string
  /** SHA-256 of the glossary and the map of keys as JSON, which packs share. */
  readonly tables?: string
}

/** Resolved build options; part of the source digest. */
export interface BuildSettings {
  readonly scheme: string
  readonly code: boolean
  readonly tokenizer: string
}

export interface NewVersion {
  /** Sealed document with the `slug` and `version` to commit. */
  readonly pack: Pack
  /** SHA-256 of source and settings; equal digests mean that this source is published. */
  readonly sourceDigest: string
  /** The newest committed version when this number was chosen; `null` for a first version. */
  readonly parent: string | null
  readonly provenance: Provenance
  /** Names of the fields that neither the author nor a configuration stated; absent if unknown. */
  readonly assumed?: readonly string[]
  readonly actor: Actor
}

/** Result of a commit. `unchanged` means that this version already exists, from the same source. */
export interface CommitResult {
  readonly status: 'published' | 'unchanged'
  readonly id: string
  readonly slug: string
  readonly version: string
  readonly sequence: number
}

/** The newest committed version of a pack, yanked or not, and its highest number. */
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

/** A version as stored, with the columns that contradict the rest of the catalog. */
export interface ExaminedVersion {
  readonly sequence: number
  /** The row of its pack. */
  readonly listed: PackTable
  readonly lead: string
  readonly document: Uint8Array
  /** The document; `undefined` if it cannot be read. */
  readonly pack: Pack | undefined
  readonly yanked: boolean
  /** Whether it was purged: then nothing else is left, and a column that has text is damaged. */
  readonly purged: boolean
  readonly sourceDigest: string
  /** `undefined` if it cannot be read. */
  readonly provenance: Provenance | undefined
  /** Columns that contradict the document, the provenance or other versions. */
  readonly damaged: readonly string[]
  /** As stored; `undefined` if they cannot be read. */
  readonly signatures: readonly PackSignature[] | undefined
}

/** What a summary lacks: long texts, and what only readers of the whole document need. */
export const documentOnlyFields = {
  content: true,
  rosetta: true,
  preview_content: true,
  metadata: true,
  glossary: true,
  code: true,
  front_matter: true,
  signatures: true,
  url: true,
  minify: true,
  text_sha256: true,
  links_sha256: true,
  patch_sha256: true,
  links: true,
  patch: true,
} as const

/** What is stored as one; times and signatures come from rows. */
export type StoredSummary = Omit<Pack, keyof typeof documentOnlyFields>

/**
 * What lists say of a pack's latest version. Times are RFC 3339, UTC, with milliseconds. A row
 * without `description` or `tags` has none, or was written by a version that did not know them.
 */
export interface PackSummary extends StoredSummary {
  readonly published_at: string
  readonly updated_at: string
  /** Verified when they were stored, the newest last. */
  readonly signatures: readonly PackSignature[]
  /** First sentence of the text, from its preview; absent if there is none. */
  readonly lead?: string
  /** Fields that the program assumed; absent if unknown. */
  readonly assumed?: readonly string[]
}

export interface VersionRecord extends PackSummary {
  readonly sequence: number
  readonly yanked: boolean
  readonly yanked_reason: string | null
  readonly bytes: number
}

export interface PackVersion extends VersionRecord {
  /** The sealed document as committed, UTF-8 JSON, without signatures. It never changes. */
  readonly document: Uint8Array
}

export interface YankedVersion extends PackVersion {
  /** Reason of the earlier yank; `null` if it was not yanked. */
  readonly reason_before: string | null
}

export interface VersionName {
  readonly sequence: number
  /** `null` if the version refers to a missing pack. */
  readonly slug: string | null
  readonly version: string
}

export interface VersionLine {
  readonly slug: string
  readonly version: string
  readonly published_at: string
  /** `null` if the row of the version is damaged, or purged; as the next two. */
  readonly token_count: number | null
  readonly rosetta_tokens: number | null
  readonly sha256: string | null
  readonly signers: readonly string[]
  readonly yanked: boolean
  readonly yanked_reason: string | null
  /** A purged version counts as yanked for the same reason, and has no figures. */
  readonly purged_at: string | null
}

/** A version whose text was erased for good. */
export interface Purge {
  readonly slug: string
  readonly version: string
  readonly purged_at: string
  readonly reason: string
  /** Of the purge. */
  readonly sequence: number
}

/** By title, newest change, fewest tokens or highest net saving; ties by title, then id. */
export type PackOrder = 'title' | 'newest' | 'smallest' | 'saved'

/** Filters, order and page of a list. An absent filter matches all packs. */
export interface PackQuery {
  readonly domain?: string | undefined
  readonly difficulty?: Difficulty | undefined
  /** Words in any order; each must occur in the title, ignoring case and Unicode form. */
  readonly search?: string | undefined
  /** Maximum tokens of content and header together. */
  readonly maxTokens?: number | undefined
  /** @default 'title' */
  readonly order?: PackOrder | undefined
  readonly limit: number
  readonly offset: number
  /** `next` of an earlier page: what comes after it, whatever has changed before it. */
  readonly after?: PackKey | undefined
}

/** Place of a pack in an order: the values of its columns. */
export type PackKey = readonly (string | number)[]

export interface PackPage {
  readonly packs: readonly PackSummary[]
  /** All packs that match, on every page. */
  readonly total: number
  /** Of the last pack; undefined on the last page. */
  readonly next: PackKey | undefined
  /** Packs of this page whose rows cannot be read, and which `packs` therefore lacks. */
  readonly damaged: readonly DamagedVersion[]
}

export type Tier = 'free' | 'pro'

/** An account owns keys and a daily quota. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly tier: Tier
  /** Requests a day; `null` for the limit of the tier. */
  readonly daily: number | null
  readonly created_at: string
  /** By a code from the operator or by mail. Without proof it may belong to anybody. */
  readonly verified: boolean
  /** Whether an operator has disabled it: its keys do not work, and nobody can sign in. */
  readonly disabled: boolean
  /** When all its sessions were last ended and its keys revoked. */
  readonly reset_at: string | null
  /** Tier and limit that it gets once its address is verified. */
  readonly pending: { readonly tier: Tier; readonly daily: number | null } | null
}

export type { KeyRow, TokenRow } from './database/database.ts'

/** Numbers and names of a catalog, and examples that its visitors can run. */
export interface CatalogSample {
  readonly packs: number
  /** The share of its tokens that a pack saves, from 0 to 1: the median and the highest. */
  readonly median: number
  readonly best: number
  /** Slugs of the packs that save most, at most two. */
  readonly slugs: readonly string[]
  /** Of the first pack. */
  readonly version: string
  /** Id of its first section, and whether a Free key reads it. */
  readonly section: string
  readonly isOpen: boolean
  /** What it has passages for. */
  readonly question: string
  /** Asks it with curl, and in a program; lists the packs if there are none. */
  readonly ask: string
  readonly code: string
}
