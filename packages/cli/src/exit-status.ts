import type { CatalogErrorCode } from '@packs/catalog'
import type { PublishErrorCode } from '@packs/publisher'

/** Exit statuses of `pack`. */
export const exitStatus = {
  done: 0,
  findings: 1,
  usage: 2,
  internal: 3,
  refused: 4,
  unavailable: 5,
  interrupted: 130,
} as const

/** One of the values of {@link exitStatus}. */
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus]

/** Exit status of each error code of the catalog and the publisher; exhaustive, so that a new code without a status fails to compile. */
export const statusOfService: Readonly<Record<CatalogErrorCode | PublishErrorCode, ExitStatus>> = {
  bad_source: exitStatus.findings,
  round_trip_failed: exitStatus.internal,
  build_timeout: exitStatus.findings,
  release_failed: exitStatus.findings,
  invalid_job: exitStatus.findings,
  source_missing: exitStatus.findings,
  unknown_job: exitStatus.findings,
  job_failed: exitStatus.internal,
  job_abandoned: exitStatus.unavailable,
  invalid_redis_url: exitStatus.usage,
  queue_unavailable: exitStatus.unavailable,
  queue_full: exitStatus.unavailable,
  queue_evicts: exitStatus.unavailable,
  version_conflict: exitStatus.refused,
  parent_moved: exitStatus.refused,
  unknown_pack: exitStatus.findings,
  unknown_version: exitStatus.findings,
  unknown_account: exitStatus.findings,
  email_taken: exitStatus.refused,
  invalid_account: exitStatus.usage,
  account_unproven: exitStatus.refused,
  account_disabled: exitStatus.refused,
  access_ended: exitStatus.refused,
  unknown_key: exitStatus.findings,
  invalid_key: exitStatus.usage,
  key_ended: exitStatus.refused,
  too_many_keys: exitStatus.refused,
  recovery_mode: exitStatus.unavailable,
  schema_too_new: exitStatus.unavailable,
  catalog_unavailable: exitStatus.unavailable,
  catalog_busy: exitStatus.unavailable,
  catalog_damaged: exitStatus.unavailable,
  invalid_database_url: exitStatus.usage,
}

/** Returns the exit status of an error code of the catalog or the publisher, and `undefined` for other codes. */
export function findServiceStatus(code: string): ExitStatus | undefined {
  return new Map<string, ExitStatus>(Object.entries(statusOfService)).get(code)
}
