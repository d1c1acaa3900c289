/** Explained in `docs/errors.md`. Catalog errors keep their own codes. */
export type PublishErrorCode =
  | 'bad_source' // a source has errors, or no pack can be built from it with these options
  | 'round_trip_failed' // a built pack does not decode to its source, so it was not published
  | 'build_timeout' // the build of a source took longer than `PACK_BUILD_SECONDS`, 600 if unset
  | 'release_failed' // another pack of the release failed, so none was published
  | 'invalid_job' // the catalog does not have the job, or has another source than the job says
  | 'source_missing' // the catalog never had the source or glossary of a job, or deleted it after 30 days
  | 'source_mismatch' // a version was not signed, because its document does not match the source of `pack publish --sign`
  | 'unknown_job' // no job has this id
  | 'job_not_failed' // only a failed job can be put back into the queue
  | 'job_failed' // a job failed for a reason that has no code
  | 'job_stalled' // the workers of a job were killed or froze, four times
  | 'job_abandoned' // the process ended before the job was done, and nothing was published
  | 'invalid_redis_url' // `REDIS_URL` is not a Redis URL
  | 'queue_unavailable' // Redis is unreachable, rejects the user or password, or the connection was lost while waiting
  | 'queue_full' // Redis accepts no jobs because its memory or disk is full
  | 'queue_evicts' // Redis may evict jobs to free memory: its `maxmemory-policy` is not `noeviction`

export interface SourceMessage {
  readonly reason: string
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly fatal?: boolean | undefined
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
  /** About the source, for `bad_source`. They quote it, so show them to its author only. */
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

/** Messages are errors, which lose their fields between threads. */
export function toPlainMessage({
  reason,
  line,
  column,
  fatal,
  ruleId,
  note,
  names,
}: SourceMessage): SourceMessage {
  return { reason, line, column, fatal, ruleId, note, ...(names && { names }) }
}
