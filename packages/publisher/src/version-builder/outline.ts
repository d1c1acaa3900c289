/** What two versions of a text are compared by. */
export interface Outline {
  /** Texts of headings, in order, white space as single spaces. */
  readonly headings: readonly string[]
  /** Blocks in order, depth first. */
  readonly blocks: readonly Block[]
  /** SHA-256 of everything that is read: texts, link targets, code. Layout of the source is no part of it. */
  readonly content: string
}

export interface Block {
  /** As a reason names it: `paragraph`, `list item`, `table of 3 columns`. */
  readonly kind: string
  /** Blocks around it. */
  readonly depth: number
}
