/** Error codes of the commands themselves. Errors of the catalog and the publisher keep their own codes. */
export type CommandErrorCode =
  | 'usage'
  | 'file_unreadable'
  | 'empty_source'
  | 'duplicate_slug'
  | 'signer_ended'
  | 'address_in_use'
  | 'address_unavailable'

/** Rules of the messages of the commands themselves about sources. */
export type CommandRule = 'earlier-pack'

/** An error shown to the user: the message says what is wrong, the hint what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: CommandErrorCode
  readonly hint: string
  /** The file concerned, if any. */
  readonly file: string | undefined

  constructor(
    code: CommandErrorCode,
    message: string,
    hint: string,
    details: { readonly file?: string; readonly cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.hint = hint
    this.file = details.file
  }
}
