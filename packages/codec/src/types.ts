/** One pair of a header: `term` stands in the content for `expansion`. */
export interface RosettaEntry {
  readonly term: string
  readonly expansion: string
}

/** A parsed header. Order matters: an expansion may use the terms of later entries (SPEC.md, nesting). */
export interface Rosetta {
  readonly entries: readonly RosettaEntry[]
}

/** Compression schemes, from untouched to densest (SPEC.md, schemes). */
export type Scheme = 'none' | 'glossary-1' | 'dense-1' | 'max-1'
