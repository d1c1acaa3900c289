import { setImmediate } from 'node:timers/promises'
import { CatalogError, type Catalog } from '@packs/catalog'
import { createBuildThread } from '../build-thread/create-build-thread.ts'
import type { PublishRequest, PublishResult, Runner, RunOptions } from '../runner.ts'
import { commitRelease } from '../steps/commit-versions.ts'
import { createErrorResult, orderResults, releaseError } from '../steps/create-result.ts'
import { deduplicateRequest, deduplicateRequests } from '../steps/deduplicate-request.ts'
import { findConflicts } from '../steps/find-existing-version.ts'
import { deriveJobId, deriveReleaseId, type PublishJob } from '../steps/job-data.ts'
import {
  prepareVersion,
  type Preparation,
  type PublishContext,
  type ReportProgress,
} from '../steps/prepare-version.ts'
import { publishOne } from '../steps/publish-one.ts'
import { recordJob } from './job-records.ts'

export interface InProcessOptions {
  /** Longest build of one source in seconds. @default 600 */
  readonly buildSeconds?: number | undefined
}

/**
 * Creates a runner that publishes in this process, one source after the other, and resolves when all are done. Builds run in a
 * thread, which a build that takes too long ends.
 */
export function createInProcessRunner(catalog: Catalog, { buildSeconds }: InProcessOptions = {}): Runner {
  const thread = createBuildThread(buildSeconds)
  const context = { catalog, build: thread.build }
  return {
    publish: (requests, options = {}) => publishAll(context, requests, options),
    release: (name, requests, options = {}) => releaseInProcess(context, name, requests, options),
    close: () => thread.close(),
  }
}

async function publishAll(
  context: PublishContext,
  requests: readonly PublishRequest[],
  { onProgress }: RunOptions,
): Promise<readonly PublishResult[]> {
  const results: PublishResult[] = []
  for (const request of requests) {
    const report = (percent: number): void => onProgress?.((100 * results.length + percent) / requests.length)
    results.push(await publishRequest(context, request, report))
    report(0)
    await setImmediate()
  }
  return results
}

async function publishRequest(
  context: PublishContext,
  request: PublishRequest,
  report: ReportProgress,
): Promise<PublishResult> {
  let id: string | null = null
  try {
    const next = await deduplicateRequest(context.catalog, request)
    if ('result' in next) return next.result
    const { job } = next
    const jobId = deriveJobId(job)
    id = jobId
    return await recordJob(context.catalog, { id: jobId, slug: job.slug }, () =>
      publishOne(context, job, jobId, report),
    )
  } catch (error) {
    return createErrorResult(request, error, id)
  }
}

/** Builds all members of a release, then commits them in one transaction. */
async function releaseInProcess(
  context: PublishContext,
  name: string,
  requests: readonly PublishRequest[],
  { onProgress }: RunOptions,
): Promise<readonly PublishResult[]> {
  const { catalog } = context
  const { jobs, existing } = await deduplicateRequests(catalog, requests)
  if (jobs.length === 0) return orderResults(requests, existing)
  const id = deriveReleaseId(name, jobs)
  const failures = new Map<string, unknown>()
  const report = (percent: number): void => onProgress?.(percent)
  try {
    const results = await recordJob(catalog, { id, slug: name }, async () =>
      commitRelease(catalog, await prepareAll(context, jobs, id, failures, report)),
    )
    return orderResults(requests, [...existing, ...results])
  } catch (error) {
    const isConflict = error instanceof CatalogError && error.code === 'version_conflict'
    const found = isConflict ? await findConflicts(catalog, requests) : failures
    const failedJob = jobs.find(({ slug }) => found.has(slug))
    const otherError = failedJob ? releaseError(failedJob.path) : error
    const failed = requests.map((request) =>
      createErrorResult(request, found.get(request.source.slug) ?? otherError, id),
    )
    return orderResults(requests, [...failed, ...existing])
  }
}

async function prepareAll(
  context: PublishContext,
  jobs: readonly PublishJob[],
  id: string,
  failures: Map<string, unknown>,
  report: ReportProgress,
): Promise<Preparation[]> {
  const preparations: Preparation[] = []
  for (const job of jobs) {
    try {
      preparations.push(
        await prepareVersion(context, job, id, (percent) =>
          report((100 * preparations.length + percent) / jobs.length),
        ),
      )
      await setImmediate()
    } catch (error) {
      failures.set(job.slug, error)
      throw releaseError(job.path)
    }
  }
  return preparations
}
