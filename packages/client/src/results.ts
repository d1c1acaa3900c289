import type { Pack } from '@packs/codec/pack'
import type { PackPrompt } from '@packs/codec/prompt'

/** How fresh a result is. */
export interface Freshness {
  /** Whether it is a cached copy because the catalog is not available. */
  readonly stale: boolean
  /** Seconds since the catalog confirmed it; 0 if it did just now, or if it never changes. */
  readonly age: number
}

/** What a list says of a pack: the fields of the API. */
export interface PackSummary extends Pick<
  Pack,
  | 'id'
  | 'slug'
  | 'title'
  | 'domain'
  | 'domain_slug'
  | 'subdomain'
  | 'version'
  | 'difficulty'
  | 'compression'
  | 'tokenizer'
  | 'token_count'
  | 'uncompressed_estimate'
  | 'savings_pct'
  | 'rosetta_tokens'
  | 'net_savings_pct'
  | 'preview_tokens'
  | 'sha256'
> {
  readonly description: string | null
  readonly tags: readonly string[]
  readonly published_at: string
  readonly updated_at: string
}

/** A whole pack, for Pro accounts: every field of its document, so that `pack_digest` can be computed. */
export interface FullPack extends Pack, Freshness {
  readonly preview: false
  /**
   * Id of the key that signed it, which was verified: the one that was asked for, else the last one. Null if it is unsigned. An id
   * says nothing about whose key it is.
   */
  readonly signer: string | null
}

/** What Free accounts get of a pack: the first fifth of the content as plain text. Its digests cannot be proven. */
export interface PreviewPack extends PackSummary, Freshness {
  readonly preview: true
  readonly rosetta: null
  readonly content: string
}

/** A line of a pack's history. */
export interface VersionLine extends Freshness {
  readonly version: string
  readonly published_at: string
  readonly token_count: number
  readonly sha256: string
  /** Ids of the keys that signed it, as the catalog says; absent from older catalogs. */
  readonly signers?: readonly string[]
  readonly yanked: boolean
  readonly yanked_reason: string | null
}

/** A section in a hit. */
export interface HitSection {
  readonly id: string
  readonly path: readonly string[]
  readonly tokens: number
}

/** A section that answers, or the pack as a whole (`section: null`). */
export interface Found {
  readonly section: HitSection | null
  /** `null` where the tier may not read the text. */
  readonly snippet: string | null
  readonly matched: readonly ('title' | 'heading' | 'text')[]
}

/** A pack in a list. */
export interface ListedPack extends PackSummary, Freshness {}

/** A hit of a search. */
export interface Hit extends Found, Freshness {
  readonly pack: Pick<
    PackSummary,
    | 'id'
    | 'slug'
    | 'title'
    | 'version'
    | 'domain_slug'
    | 'difficulty'
    | 'token_count'
    | 'rosetta_tokens'
    | 'uncompressed_estimate'
  > & {
    /** `null` if the rows of the version are damaged. */
    readonly pack_digest: string | null
  }
  /** Further sections of the pack, with its second hit. */
  readonly also: readonly Found[]
}

/** A section in an outline, as the API names its fields. */
export interface OutlineSection {
  readonly id: string
  readonly title: string
  readonly path: readonly string[]
  readonly level: number
  readonly tokens: number
  readonly subtree_tokens: number
  readonly in_preview: boolean
}

/** The headings of a version, in order. */
export interface Outline extends Freshness {
  readonly slug: string
  readonly version: string
  readonly sections: readonly OutlineSection[]
}

/** The text of a section, and the header that decodes it. */
export interface Section extends Freshness {
  readonly slug: string
  readonly version: string
  /** Its id. */
  readonly section: string
  /** The heading; empty for the text before the first one. */
  readonly title: string
  /** Titles of the headings above it, and its own. */
  readonly path: readonly string[]
  readonly content: string
  readonly rosetta: string
  /** `none` if the content is plain; `rosetta` is then `[DECODE]`. */
  readonly compression: Pack['compression']
  readonly token_count: number
  readonly rosetta_tokens: number
  readonly uncompressed_estimate: number
  /** SHA-256 of the decoded text. */
  readonly sha256: string
}

/**
 * An entry of a download, and the cursor to go on with once the entry is handled; undefined on the first page, which is then
 * read again.
 */
export type DownloadEntry =
  | { readonly kind: 'pack'; readonly pack: FullPack; readonly cursor: string | undefined }
  | {
      readonly kind: 'removed'
      readonly id: string
      readonly slug: string
      readonly cursor: string | undefined
    }
  | {
      readonly kind: 'damaged'
      readonly slug: string
      readonly version: string | null
      readonly cursor: string | undefined
    }

/** A prompt, and which packs it was composed of. */
export interface ClientPrompt extends PackPrompt, Freshness {}

/** The quota of the account for the UTC day. */
export interface Usage {
  readonly tier: 'free' | 'pro'
  readonly limit: number
  readonly used: number
  readonly remaining: number
  readonly reset_at: string
}

export interface Status {
  readonly mode: 'online' | 'recovery'
  readonly since: string
  readonly message: string | null
  /** Seconds to wait before the next request. */
  readonly retry_after: number | null
}
