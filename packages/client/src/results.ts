import type { Pack } from '@packs/codec/pack'
import type { PackPrompt } from '@packs/codec/prompt'
import type {
  OutlineSection,
  PackPreview,
  PackSection,
  PackSummary,
  PackVersion,
  SearchHit,
} from './generated/responses.ts'

export type { OutlineSection, PackSummary, Status, Usage } from './generated/responses.ts'

/** How fresh a result is. */
export interface Freshness {
  /** Whether it is a cached copy because the catalog is not available. */
  readonly stale: boolean
  /** Seconds since the catalog confirmed it; 0 if it did just now, or if it never changes. */
  readonly age: number
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
export interface PreviewPack extends PackPreview, Freshness {}

/** A line of a pack's history. Older catalogs do not send `signers`. */
export interface VersionLine extends PackVersion, Freshness {}

/** A pack in a list. */
export interface ListedPack extends PackSummary, Freshness {}

/** A hit of a search. */
export interface Hit extends SearchHit, Freshness {}

/** A section that answers, or the pack as a whole (`section: null`). */
export type Found = SearchHit['also'][number]

/** A section in a hit. */
export type HitSection = NonNullable<Found['section']>

/** The headings of a version, in order. */
export interface Outline extends Freshness {
  readonly slug: string
  readonly version: string
  readonly sections: readonly OutlineSection[]
}

/** The text of a section, and the header that decodes it. */
export interface Section extends Omit<PackSection, 'pack' | 'id'>, Freshness {
  readonly slug: string
  /** Its id. */
  readonly section: string
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
