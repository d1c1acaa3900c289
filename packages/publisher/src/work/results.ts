import { derivePackId } from '@packs/codec/pack'
import { PublishError } from '../publish-error.ts'
import type { PublishRequest, PublishResult } from '../runner.ts'
import { describeFailure } from './describe-failure.ts'

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
export function failRequest(
  { source }: PublishRequest,
  error: unknown,
  job: string | null = null,
): PublishResult {
  const { code, message, hint } = describeFailure(error)
  const messages = error instanceof PublishError ? error.messages : []
  const status = code === 'version_conflict' ? 'conflict' : 'failed'
  return createResult({ slug: source.slug, status, code, message, hint, job, messages })
}

/** What the other members of a release get when one failed. */
export function createReleaseError(slug: string): PublishError {
  return new PublishError(
    'release_failed',
    `Nothing of the release was published, because ${slug} failed`,
    'Correct it, or leave it out, and release again.',
  )
}

/** Puts results into the order of their requests; of two for one pack the last counts. */
export function mergeResults(
  requests: readonly PublishRequest[],
  results: readonly PublishResult[],
): PublishResult[] {
  const bySlug = new Map(results.map((result) => [result.slug, result]))
  return requests.map(({ source }) => bySlug.get(source.slug)!)
}
