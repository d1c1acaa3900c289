import { derivePackId } from '@packs/codec/pack'
import { PublishError, type PublishErrorCode } from '../publish-error.ts'
import type { PublishRequest, PublishResult } from '../runner.ts'
import { CatalogError, type CatalogErrorCode } from '@packs/catalog'

/** Creates a result; fields that are not given are `null` or empty. */
export function createResult(
  result: Pick<PublishResult, 'slug' | 'status'> & Partial<PublishResult>,
): PublishResult {
  return {
    id: derivePackId(result.slug),
    version: null,
    level: null,
    reasons: [],
    code: null,
    message: null,
    hint: null,
    job: null,
    messages: [],
    ...result,
  }
}

export function createErrorResult(
  { source }: PublishRequest,
  error: unknown,
  job: string | null = null,
): PublishResult {
  const messages = error instanceof PublishError ? error.messages : []
  return { ...createFailedResult(source.slug, describeFailure(error), job), messages }
}

export function createFailedResult(
  slug: string,
  { code, message, hint }: Failure,
  job: string | null,
): PublishResult {
  const status = code === 'version_conflict' ? 'conflict' : 'failed'
  return createResult({ slug, status, code, message, hint, job })
}

/** Returns the error of the other members of a release when the source at `path` failed. */
export function releaseError(path: string): PublishError {
  return new PublishError(
    'release_failed',
    `Nothing of the release was published, because ${path} failed`,
    'Correct this source or omit it, then release again.',
  )
}

/**
 * Returns results in the order of their requests. If a pack has two results, the last one counts.
 */
export function orderResults(
  requests: readonly PublishRequest[],
  results: readonly PublishResult[],
): PublishResult[] {
  const bySlug = new Map(results.map((result) => [result.slug, result]))
  return requests.map(({ source }) => bySlug.get(source.slug)!)
}

/** Why a job failed. Others may read it, so it contains no text of a pack and no secrets. */
export interface Failure {
  /** Error code of the publisher or the catalog. */
  readonly code: string
  readonly message: string
  readonly hint: string
}

/**
 * Describes why a job failed. Of an unknown error only the class is named, because its message may
 * quote anything.
 */
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

/**
 * Serializes a failure for the queue: code and message on the first line, the hint on the second.
 */
export function serializeFailure({ code, message, hint }: Failure): string {
  return `${code}: ${message}\n${hint}`
}

/**
 * Parses the text of {@link serializeFailure}. A reason written by the queue itself becomes
 * `job_failed`.
 */
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
