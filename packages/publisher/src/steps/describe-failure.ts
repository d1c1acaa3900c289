import { CatalogError, type CatalogErrorCode } from '@packs/catalog'
import { PublishError, type PublishErrorCode } from '../publish-error.ts'

/** Why a job failed. Others may read it, so it contains no text of a pack and no secrets. */
export interface Failure {
  /** Error code of the publisher or the catalog. */
  readonly code: string
  readonly message: string
  readonly hint: string
}

/** Describes why a job failed. Of an unknown error only the class is named, because its message may quote anything. */
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

/** Tells whether a retry would fail the same way. */
export function isPermanent(code: Failure['code']): boolean {
  return !RETRYABLE_CODES.has(code)
}

/** Errors that a retry may fix. All others are caused by the source or by published versions. */
const RETRYABLE_CODES: ReadonlySet<Failure['code']> = new Set<PublishErrorCode | CatalogErrorCode>([
  'job_failed',
  'parent_moved',
  'catalog_unavailable',
  'queue_unavailable',
  'queue_full',
])

/** Serializes a failure for the queue: code and message on the first line, the hint on the second. */
export function serializeFailure({ code, message, hint }: Failure): string {
  return `${code}: ${message}\n${hint}`
}

/** Parses the text of {@link serializeFailure}. A reason written by the queue itself becomes `job_failed`. */
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
