import type { OutlinedSection } from '@packs/codec/sections'
import type { SearchStore } from '@packs/search'

/** The sections of a version. */
export interface Outline {
  /** Offset of the decoded body where the preview ends, in UTF-16 units. */
  readonly preview: number
  /** In order; their offsets are UTF-16 units of the decoded body. */
  readonly sections: readonly OutlinedSection[]
}

/**
 * How complete the index of packs and sections is.
 *
 * - `ready`: it holds the latest version of every pack.
 * - `building`: some packs are missing, and are not found until `indexWaiting` has run.
 * - `missing`: it holds no pack of a catalog that has some.
 * - `damaged`: its tables cannot be read or are missing; `rebuild` creates them again.
 */
export interface IndexState {
  readonly status: 'ready' | 'building' | 'missing' | 'damaged'
  /** Packs in the index; counted up to 10,000. */
  readonly indexed: number
  /** Packs whose latest version is not in the index; counted up to 10,000. */
  readonly waiting: number
  /** What the database says about a damaged index. */
  readonly reason?: string
}

export interface IndexOptions {
  /** Ends the run after the batch in hand. */
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined
  /** Most packs in one transaction. @default 16 */
  readonly batch?: number | undefined
}

export interface IndexProgress {
  /** Packs indexed so far. */
  readonly packs: number
  /** Outlines of versions stored so far, those of the indexed versions too. */
  readonly outlines: number
}

/** A version that the index cannot hold, because its document is damaged. */
export interface SkippedVersion {
  readonly slug: string
  readonly version: string
  readonly sequence: number
  readonly reason: string
}

export interface IndexRun extends IndexProgress {
  readonly skipped: readonly SkippedVersion[]
}

/** The index of packs and sections, and the outlines of versions. */
export interface SearchIndex {
  /** What `search` of `@packs/search` searches. */
  readonly store: SearchStore
  /**
   * Returns the sections of the version with this sequence number; `undefined` for an unknown version. Older versions may have no
   * stored outline, which is then derived from the document.
   *
   * @throws CatalogError `catalog_damaged`, which names the version
   */
  outline(sequence: number): Promise<Outline | undefined>
  /** Reports how complete the index is. It reads an index of the packs that wait, not the packs. */
  state(): Promise<IndexState>
  /**
   * Indexes the packs whose latest version is not in the index, and stores missing outlines, in short transactions. It can be
   * interrupted and repeated, and several processes can run it at once. Damaged versions are skipped.
   *
   * @throws CatalogError `catalog_unavailable` if the tables of the index are damaged: `rebuild` creates them again
   * @example
   * const { packs, skipped } = await catalog.search.indexWaiting()
   */
  indexWaiting(options?: IndexOptions): Promise<IndexRun>
  /** Drops the tables of the index, creates them again, and indexes all packs. Meanwhile searches find some packs only. */
  rebuild(options?: IndexOptions): Promise<IndexRun>
  /**
   * Compares what is stored for a version with what its document gives: its outline, and if it is the latest one, its entries.
   * Returns the names of what differs, such as `search_entries.vector`; none for an unknown or unreadable version, or a pack that
   * waits to be indexed.
   */
  audit(slug: string, version: string): Promise<readonly string[]>
  /**
   * Checks the whole index: entries without a pack, totals, and how many sections have each term. Returns the names of what
   * differs. Reads all of the index.
   */
  auditTotals(): Promise<readonly string[]>
}
