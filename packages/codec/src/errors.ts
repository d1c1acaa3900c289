/** The position of an error. All counts start at 0. */
export interface CodecErrorPosition {
  /**
   * UTF-16 offset: in the header if the header was passed as text, in the content for
   * `output_too_large`, and in the entry's expansion for `nesting_too_large`.
   */
  readonly offset?: number | undefined
  /** Index of the header's entry. */
  readonly entry?: number | undefined
}

/**
 * A header or content that the format does not allow.
 *
 * `message` says what is wrong and what was found (cut at 80 characters), `hint` what to do. The
 * position is a field.
 */
export class CodecError extends Error {
  declare readonly code: CodecErrorCode
  declare readonly hint: string
  declare readonly offset: number | undefined
  declare readonly entry: number | undefined

  constructor(code: CodecErrorCode, position: CodecErrorPosition, found?: string) {
    super(code.replaceAll('_', ' ') + (found ? ': ' + JSON.stringify(found.slice(0, 80)) : ''))
    Object.assign(this, { name: 'CodecError', code, hint: HINTS[code] }, position)
  }
}

// Short, because they add to the size of the decoder. docs/errors.md has the details.
const HINTS = {
  no_marker: 'Begin with "[DECODE] "',
  newline: 'Write \\n or \\r',
  missing_equals: 'Write term=expansion, | as \\|',
  dangling_escape: 'Write \\\\ \\| \\= \\n \\r \\t',
  empty_term: 'Write term=expansion',
  invalid_term: 'No white space, control, half pair, leading mark',
  duplicate_term: 'Keep one',
  term_too_long: 'At most 64 code points',
  empty_expansion: 'Write term=expansion',
  expansion_too_long: 'At most 4096 code points',
  too_many_entries: 'At most 65536',
  header_too_long: 'At most 4194304 units',
  nesting_too_large: 'At most 67108864 units',
  output_too_large: 'Raise maxOutput',
  decoder_ended: 'Create another',
} as const

/** Codes of all errors of the root entry (SPEC.md §10). */
export type CodecErrorCode = keyof typeof HINTS
