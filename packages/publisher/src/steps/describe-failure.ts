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
export function isPermanent(code: Failure['code']): boolean {
  return !RETRYABLE_CODES.has(code)
}

/** What may go well another time; all else is about the source, or about what is published. */
const RETRYABLE_CODES: ReadonlySet<Failure['code']> = new Set<PublishErrorCode | CatalogErrorCode>([
  'job_failed',
  'parent_moved',
  'catalog_unavailable',
  'queue_unavailable',
  'queue_full',
])

/** Writes a failure as the reason that the queue keeps: code and message, and the hint on a line of its own. */
export function serializeFailure({ code, message, hint }: Failure): string {
  return `${code}: ${message}\n${hint}`
}

/** Reads what {@link serializeFailure} wrote; what the queue itself says of a job is `job_failed`. */
export function parseFailure(reason: string): Failure {
  const [first = '', ...rest] = reason.split('\n')
  const [, code, message] = /^([a-z]+(?:_[a-z]+)+): (.*)$/.exec(first) ?? []
  if (code !== undefined && message !== undefined) return { code, message, hint: rest.join(' ') }
  return {
    code: 'job_failed',
    message: `The job failed: ${first.slice(0, 160)}`,
    hint: 'Publish again; if it fails again, report it with the log of the worker.',
  }
}
