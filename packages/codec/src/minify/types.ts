/** Markups beside CommonMark and GFM. A set of files or an option names them, never a text. */
export const DIALECTS = ['mdx', 'vault', 'hugo', 'vue', 'svelte', 'mkdocs', 'kramdown'] as const
export type Dialect = (typeof DIALECTS)[number]

/** The rules of `minify-1` (SPEC.md, minify). All are on by default. */
export const MINIFY_RULES = [
  'links',
  'comments',
  'tags',
  'attributes',
  'toc',
  'ids',
  'imports',
  'wraps',
  'tables',
  'blank',
  'entities',
] as const
export type MinifyRule = (typeof MINIFY_RULES)[number]

export interface MinifyOptions {
  /** @default [] */
  readonly dialect?: readonly Dialect[]
  /** Rules that are not applied. @default [] */
  readonly off?: readonly MinifyRule[]
}

/**
 * One row of a patch: at offset `at` of the minified text, `removed` units give way to `inserted`.
 * Offsets and lengths are in UTF-16 units. Rows are in ascending order and do not overlap.
 */
export type PatchRow = readonly [at: number, removed: number, inserted: string]

/** A minified text and what restores its source. */
export interface Minified {
  readonly text: string
  /** Addresses of the numbered links: number n is `links[n - 1]`. */
  readonly links: readonly string[]
  readonly patch: readonly PatchRow[]
  /** Edits that the comparison with the source took back. */
  readonly withdrawn: number
}
