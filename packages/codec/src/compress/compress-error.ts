/** Codes of the errors that `compress` throws. */
export type CompressErrorCode = 'source_too_large' | 'invalid_scheme' | 'invalid_glossary' | 'term_collision'

/** What an error refers to: the index of a glossary rule, and UTF-16 offsets in the source. */
export interface CompressErrorDetails {
  readonly rule?: number
  readonly offsets?: readonly number[]
  /** Index of the text among those that are compressed together. */
  readonly text?: number
}

/** A source, option or glossary that cannot be compressed. `hint` says what to do. */
export class CompressError extends Error {
  override readonly name = 'CompressError'
  readonly code: CompressErrorCode
  readonly hint: string
  readonly rule: number | undefined
  readonly offsets: readonly number[]
  readonly text: number | undefined

  constructor(code: CompressErrorCode, message: string, hint: string, details: CompressErrorDetails = {}) {
    super(message)
    this.code = code
    this.hint = hint
    this.rule = details.rule
    this.offsets = details.offsets ?? []
    this.text = details.text
  }
}
