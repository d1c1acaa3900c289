import { CatalogError, type CatalogErrorCode } from '@packs/catalog'
import { PublishError, type PublishErrorCode } from '../publish-error.ts'

/** Why a job failed, fit for a record that others read: no text of a pack, no secret. */
export interface Failure {
  /** Of the publisher or the catalog. */
  readonly code: string
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
  return !RETRIED.has(code)
}

/** What may go well another time; all else is about the source, or about what is published. */
const RETRIED: ReadonlySet<Failure['code']> = new Set<PublishErrorCode | CatalogErrorCode>([
  'job_failed',
  'parent_moved',
  'catalog_unavailable',
  'queue_unavailable',
  'queue_full',
])
