import { CatalogError, type CatalogErrorCode } from '@packs/catalog'
import { PublishError, type PublishErrorCode } from '../publish-error.ts'

/** Why a job failed, fit for a record that others read: no text of a pack, no secret. */
export interface Failure {
  readonly code: PublishErrorCode | CatalogErrorCode
  readonly message: string
  readonly hint: string
}

/** Tells why a job failed. What is no error of ours is told by its kind alone, as its message may quote anything. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof PublishError || error instanceof CatalogError) {
    return { code: error.code, message: error.message, hint: error.hint }
  }
  const kind = error instanceof Error ? error.name : typeof error
  return {
    code: 'job_failed',
    message: `Unexpected failure (${kind})`,
    hint: 'Try again; if it fails again, report it with the log of the worker.',
  }
}

/** Would trying again end the same. */
export function isFinal(code: Failure['code']): boolean {
  return FINAL[code]
}

/** Is a text one of the codes. */
export function isFailureCode(text: string): text is Failure['code'] {
  return Object.hasOwn(FINAL, text)
}

const FINAL: Readonly<Record<Failure['code'], boolean>> = {
  bad_source: true,
  round_trip_failed: true,
  release_failed: true,
  invalid_job: true,
  source_missing: true,
  unknown_job: true,
  job_failed: false,
  invalid_redis_url: true,
  queue_unavailable: false,
  queue_full: false,
  queue_evicts: true,
  version_conflict: true,
  parent_moved: false,
  unknown_pack: true,
  unknown_version: true,
  unknown_account: true,
  email_taken: true,
  schema_too_new: true,
  catalog_unavailable: false,
  invalid_database_url: true,
}
