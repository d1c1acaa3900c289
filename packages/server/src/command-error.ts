import type { CatalogErrorCode } from '@packs/catalog'
import type { PublishErrorCode } from '@packs/publisher'

/** Error codes of the commands. Errors of the catalog and the publisher keep their own codes. */
export type CommandErrorCode =
  | 'usage' // an argument, option or environment variable of these commands is invalid
  | 'file_unreadable' // the file for the operator's token can be neither read nor created
  | 'signer_ended' // the keys document says that the key of `--sign` is retired or revoked
  | 'address_in_use' // another program listens on the host and port of `pack serve`
  | 'address_unavailable' // `pack serve` cannot listen on this IP address or port

export type CommandRule =
  | 'earlier-pack' // the catalog has a pack of this file under another slug
  | 'skipped-source' // the catalog has versions of a source that is now skipped, as a draft, an unlisted page, a partial or a page without text

/** An error shown to the user: the message says what is wrong, the hint what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: CommandErrorCode
  readonly hint: string
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

/** How a command ended. The host maps each to an exit status. */
export type Exit = 'done' | 'findings' | 'usage' | 'internal' | 'refused' | 'unavailable' | 'interrupted'

type ErrorCode = CommandErrorCode | CatalogErrorCode | PublishErrorCode

/** The map is exhaustive, so that a new code without an exit does not compile. */
export const exitOfCode: Readonly<Record<ErrorCode, Exit>> = {
  usage: 'usage',
  file_unreadable: 'findings',
  signer_ended: 'refused',
  address_in_use: 'unavailable',
  address_unavailable: 'unavailable',
  bad_source: 'findings',
  round_trip_failed: 'internal',
  build_timeout: 'findings',
  release_failed: 'findings',
  invalid_job: 'findings',
  source_missing: 'findings',
  source_mismatch: 'refused',
  unknown_job: 'findings',
  job_not_failed: 'refused',
  job_failed: 'internal',
  job_stalled: 'unavailable',
  job_abandoned: 'unavailable',
  invalid_redis_url: 'usage',
  queue_unavailable: 'unavailable',
  queue_full: 'unavailable',
  queue_evicts: 'unavailable',
  version_conflict: 'refused',
  job_superseded: 'refused',
  parent_moved: 'refused',
  unknown_pack: 'findings',
  unknown_version: 'findings',
  purged_version: 'refused',
  purged_source: 'refused',
  text_mismatch: 'refused',
  invalid_signature: 'refused',
  too_many_signatures: 'refused',
  unknown_account: 'findings',
  email_taken: 'refused',
  invalid_account: 'usage',
  account_disabled: 'refused',
  access_ended: 'refused',
  unknown_key: 'findings',
  invalid_key: 'usage',
  key_ended: 'refused',
  too_many_keys: 'refused',
  unknown_token: 'findings',
  invalid_token: 'usage',
  recovery_mode: 'unavailable',
  schema_too_old: 'refused',
  schema_too_new: 'unavailable',
  catalog_unavailable: 'unavailable',
  catalog_busy: 'unavailable',
  search_busy: 'unavailable',
  too_many_at_once: 'unavailable',
  catalog_damaged: 'unavailable',
  invalid_database_url: 'usage',
}

/** Returns how a command ends for an error code; `undefined` for codes of other packages. */
export function findExit(code: string): Exit | undefined {
  return new Map<string, Exit>(Object.entries(exitOfCode)).get(code)
}
