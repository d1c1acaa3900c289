import { derivePackId } from '@packs/codec/pack'
import { PublishError } from '../publish-error.ts'
import type { PublishRequest, PublishResult } from '../runner.ts'
import { describeFailure, type Failure } from './describe-failure.ts'

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

/** Creates the result of a request that failed with an error. */
export function createErrorResult(
  { source }: PublishRequest,
  error: unknown,
  job: string | null = null,
): PublishResult {
  const messages = error instanceof PublishError ? error.messages : []
  return { ...createFailedResult(source.slug, describeFailure(error), job), messages }
}

/** Creates the result of a failure that was already described. */
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
    'Correct this source or leave it out, then release again.',
  )
}

/** Returns results in the order of their requests. If a pack has two results, the last one counts. */
export function orderResults(
  requests: readonly PublishRequest[],
  results: readonly PublishResult[],
): PublishResult[] {
  const bySlug = new Map(results.map((result) => [result.slug, result]))
  return requests.map(({ source }) => bySlug.get(source.slug)!)
}
