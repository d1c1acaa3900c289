/** What can be wrong with a pack document as a whole. */
export type PackErrorCode = 'pack_too_large' | 'invalid_utf8' | 'invalid_json' | 'invalid_pack'

/** One fault of a pack document. */
export interface PackIssue {
  /** The field, as `token_count`; empty for the document itself. */
  readonly path: string
  readonly message: string
}

/** A text or value that is no pack document. */
export class PackError extends Error {
  override readonly name = 'PackError'
  readonly code: PackErrorCode
  readonly hint: string
  /** Everything that is wrong under `invalid_pack`; else empty. */
  readonly issues: readonly PackIssue[]

  constructor(code: PackErrorCode, message: string, hint: string, issues: readonly PackIssue[] = []) {
    super(message)
    this.code = code
    this.hint = hint
    this.issues = issues
  }
}

/** Quotes what was found, at most 80 characters of it, without breaking a character in two. */
export function quoteFound(text: string): string {
  const cut = text.length > 80 ? `${text.slice(0, 80).replace(/[\uD800-\uDBFF]$/, '')}…` : text
  return JSON.stringify(cut)
}
