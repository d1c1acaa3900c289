/** What can be wrong with a publish. `docs/errors.md` explains each; errors of the catalog keep their codes. */
export type PublishErrorCode =
  | 'bad_source'
  | 'round_trip_failed'
  | 'release_failed'
  | 'invalid_job'
  | 'source_missing'
  | 'unknown_job'
  | 'job_failed'
  | 'job_abandoned'
  | 'invalid_redis_url'
  | 'queue_unavailable'
  | 'queue_full'
  | 'queue_evicts'

/** Messages about a source, with line and column. */
export interface SourceMessage {
  readonly reason: string
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly fatal?: boolean | null | undefined
  readonly ruleId?: string | undefined
  readonly note?: string | undefined
}

/** A publish that was refused or failed, with a way out. Message and hint carry no secret and no text of a pack. */
export class PublishError extends Error {
  override readonly name = 'PublishError'
  readonly code: PublishErrorCode
  readonly hint: string
  /** Everything about the source under `bad_source`, for its author alone: it quotes the source. */
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
