/**
 * Codes of publishing errors, explained in `docs/errors.md`. Catalog errors keep their own codes.
 */
export type PublishErrorCode =
  | 'bad_source'
  | 'round_trip_failed'
  | 'build_timeout'
  | 'release_failed'
  | 'invalid_job'
  | 'source_missing'
  | 'source_mismatch'
  | 'unknown_job'
  | 'job_failed'
  | 'job_abandoned'
  | 'invalid_redis_url'
  | 'queue_unavailable'
  | 'queue_full'
  | 'queue_evicts'

/** A message about a source file, with line and column. */
export interface SourceMessage {
  readonly reason: string
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly fatal?: boolean | null | undefined
  readonly ruleId?: string | undefined
  readonly note?: string | undefined
  /** What the message lists, such as keys of the front matter. */
  readonly names?: readonly string[]
}

/** A rejected or failed publish. `message` and `hint` contain no secrets and no text of a pack. */
export class PublishError extends Error {
  override readonly name = 'PublishError'
  readonly code: PublishErrorCode
  readonly hint: string
  /**
   * All messages about the source, for `bad_source`. They quote the source, so show them to its
   * author only.
   */
  readonly messages: readonly SourceMessage[]

  constructor(
    code: PublishErrorCode,
    message: string,
    hint: string,
    details: { readonly messages?: readonly SourceMessage[]; readonly cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.hint = hint
    this.messages = details.messages ?? []
  }
}
