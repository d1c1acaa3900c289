import { derivePackId } from '@packs/codec/pack'
import { PublishError } from '../publish-error.ts'
import type { PublishRequest, PublishResult } from '../runner.ts'
import { describeFailure, type Failure } from './describe-failure.ts'

/** A result with nothing but what is told of it. */
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

/** The result of a request that failed. */
export function createErrorResult(
  { source }: PublishRequest,
  error: unknown,
  job: string | null = null,
): PublishResult {
  const messages = error instanceof PublishError ? error.messages : []
  return { ...createFailedResult(source.slug, describeFailure(error), job), messages }
}

/** The result of a failure that was told before. */
export function createFailedResult(
  slug: string,
  { code, message, hint }: Failure,
  job: string | null,
): PublishResult {
  const status = code === 'version_conflict' ? 'conflict' : 'failed'
  return createResult({ slug, status, code, message, hint, job })
}

/** What the other members of a release get when one failed; `path` is that of its source. */
export function releaseError(path: string): PublishError {
  return new PublishError(
    'release_failed',
    `Nothing of the release was published, because ${path} failed`,
    'Correct it, or leave it out, and release again.',
  )
}

/** Puts results into the order of their requests; of two for one pack the last counts. */
export function orderResults(
  requests: readonly PublishRequest[],
  results: readonly PublishResult[],
): PublishResult[] {
  const bySlug = new Map(results.map((result) => [result.slug, result]))
  return requests.map(({ source }) => bySlug.get(source.slug)!)
}
