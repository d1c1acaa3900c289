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
  /** Tokens that the edits of each rule save, counted at each edit alone. */
  readonly saved: Readonly<Partial<Record<MinifyRule | 'terms', number>>>
}

// What a pack document can hold (SPEC.md §7). What needs more is not minified.

/** Maximum addresses of a pack. */
export const MAX_LINKS = 65_536
/** Maximum UTF-16 units of an address, which is one line. */
export const MAX_LINK = 1_048_576
/** Maximum rows of a patch. */
export const MAX_PATCH_ROWS = 1_048_576
/** Most UTF-16 units of a patched text, of all insertions, and of all addresses. */
export const MAX_PATCHED = 16_777_216

/** Whether a pack document can hold the addresses and the patch of a minified text. */
export function fitsDocument({ links, patch }: Minified): boolean {
  return findLinksFault(links) === undefined && findPatchFault(patch) === undefined
}

/** Describes why a value cannot be the addresses of a pack; undefined if it can. */
export function findLinksFault(links: unknown): string | undefined {
  if (!Array.isArray(links)) return 'must be an array'
  if (links.length > MAX_LINKS) return `must have at most ${MAX_LINKS} addresses`
  let units = 0
  for (const [index, link] of (links as unknown[]).entries()) {
    if (typeof link !== 'string') return `must hold strings only; row ${index} is none`
    if (link.length > MAX_LINK || /[\n\r]/.test(link) || !link.isWellFormed())
      return `must hold one line of at most ${MAX_LINK} characters and no lone surrogate in row ${index}`
    units += link.length
  }
  return units > MAX_PATCHED ? `must have at most ${MAX_PATCHED} characters together` : undefined
}

/** Says why a value fits no text as a patch. `restoreText` checks it against one. */
export function findPatchFault(patch: unknown): string | undefined {
  if (!Array.isArray(patch)) return 'must be an array'
  if (patch.length > MAX_PATCH_ROWS) return `must have at most ${MAX_PATCH_ROWS} rows`
  let end = 0
  let units = 0
  for (const [index, row] of (patch as unknown[]).entries()) {
    const [at, removed, inserted] = Array.isArray(row) && row.length === 3 ? (row as unknown[]) : []
    if (!isCount(at) || !isCount(removed) || typeof inserted !== 'string' || !inserted.isWellFormed())
      return `must hold rows of an offset, a length and a text without lone surrogate; row ${index} is none`
    if (at < end || at + removed > MAX_PATCHED)
      return `must hold ascending rows that do not overlap; row ${index} is at ${at}`
    end = at + removed
    units += inserted.length
  }
  return units > MAX_PATCHED ? `must insert at most ${MAX_PATCHED} characters` : undefined
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
