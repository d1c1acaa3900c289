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
 * `message`: what is wrong and what was found, cut at 80 characters; `hint`: what to do.
 */
export class CodecError extends Error {
  declare readonly code: CodecErrorCode
  declare readonly hint: string
  declare readonly offset: number | undefined
  declare readonly entry: number | undefined

  // What only patches need does not add to the decoder.
  constructor(
    code: CodecErrorCode,
    position: CodecErrorPosition & { readonly hint?: string },
    found?: string,
  ) {
    super(code.replaceAll('_', ' ') + (found ? ': ' + JSON.stringify(found.slice(0, 80)) : ''))
    Object.assign(this, { name: 'CodecError', code, hint: HINTS[code as HeaderErrorCode] }, position)
  }
}

// Short, because they add to the size of the decoder. docs/errors.md has the details.
const HINTS = {
  no_marker: 'Begin with "[DECODE] "', // the header does not begin with `[DECODE]` and a space
  newline: 'Write \\n or \\r', // the header contains a line break, often the last one of a file
  missing_equals: 'Write term=expansion, | as \\|', // a pair without `=`, or an empty pair: two `|` in a row, one at the end, or one inside an expansion
  dangling_escape: 'Write \\\\ \\| \\= \\n \\r \\t', // a backslash before something that cannot be escaped, or at the end
  empty_term: 'Write term=expansion', // nothing before `=`
  invalid_term: 'No white space, control, half pair, leading mark', // a term with white space, a control character or half of a surrogate pair, or with a combining mark at its beginning
  duplicate_term: 'Keep one', // two pairs have the same term
  term_too_long: 'At most 64 code points', // a term over 64 code points
  empty_expansion: 'Write term=expansion', // nothing after `=`
  expansion_too_long: 'At most 4096 code points', // an expansion over 4,096 code points
  too_many_entries: 'At most 65536', // a header with more than 65,536 pairs
  header_too_long: 'At most 4194304 units', // a header over 4,194,304 UTF-16 units
  nesting_too_large: 'At most 67108864 units', // nested expansions that add up to more than 67,108,864 UTF-16 units
  output_too_large: 'Raise maxOutput', // the decoded text would exceed `maxOutput`
  wrong_type: 'Pass content, header', // content or a header that is not a text, such as a whole pack, or links that are not a table
  decoder_ended: 'Create another', // a decoder from `createDecoder` received a chunk after `end()` or an error
} as const

/** Codes of all errors of the root entry (SPEC.md §10). */
export type CodecErrorCode = HeaderErrorCode | PatchErrorCode
type HeaderErrorCode = keyof typeof HINTS
type PatchErrorCode = 'invalid_patch' // no patch for a minified pack, or one whose rows are out of order, overlap, leave the text, or cut a surrogate pair; of `pack`, also one that shows people another text than models read
