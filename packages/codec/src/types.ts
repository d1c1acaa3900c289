/** One pair of a header: `term` replaces `expansion` in the content. */
export interface RosettaEntry {
  readonly term: string
  readonly expansion: string
}

/** A parsed header. An expansion may use the terms of later entries (SPEC.md §5). */
export interface Rosetta {
  readonly entries: readonly RosettaEntry[]
}

/** Compression schemes, from unchanged to densest (SPEC.md §8.2). */
export type Scheme = 'none' | 'minify-1' | 'dense-2' | 'max-2'

/** Schemes of documents in `packs/1`: programs decode them, and no encoder writes them. */
export type OldScheme = 'glossary-1' | 'dense-1' | 'max-1'

export type PackScheme = Scheme | OldScheme
