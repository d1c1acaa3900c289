/** Codes of errors about a pack document as a whole. */
export type PackErrorCode =
  | 'pack_too_large' // the document is larger than any pack can be
  | 'invalid_utf8' // the bytes are not valid UTF-8
  | 'invalid_json' // the text is not valid JSON, or an object in it has two members of one name
  | 'invalid_source' // `parseSource` or `buildPack` was given something else than it takes
  | 'invalid_pack' // a field is missing, has another type, or has an invalid value

export interface PackIssue {
  /** The field, such as `token_count`; empty for the document itself. */
  readonly path: string
  readonly message: string
}

/** The error for a text or value that is not a pack document. */
export class PackError extends Error {
  override readonly name = 'PackError'
  readonly code: PackErrorCode
  readonly hint: string
  /** All errors, with code `invalid_pack`; otherwise empty. */
  readonly issues: readonly PackIssue[]

  constructor(code: PackErrorCode, message: string, hint: string, issues: readonly PackIssue[] = []) {
    super(message)
    this.code = code
    this.hint = hint
    this.issues = issues
  }
}
