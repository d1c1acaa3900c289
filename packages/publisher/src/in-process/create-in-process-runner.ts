import { setImmediate } from 'node:timers/promises'
import { CatalogError, type Catalog } from '@packs/catalog'
import type { PublishRequest, PublishResult, Runner, RunOptions } from '../runner.ts'
import { commitRelease } from '../steps/commit-versions.ts'
import { createErrorResult, orderResults, releaseError } from '../steps/create-result.ts'
import { deduplicateRequest, deduplicateRequests } from '../steps/deduplicate-request.ts'
import { findConflicts } from '../steps/find-existing-version.ts'
import { deriveJobId, deriveReleaseId, type PublishJob } from '../steps/job-data.ts'
import { prepareVersion, type Preparation, type ReportProgress } from '../steps/prepare-version.ts'
import { publishOne } from '../steps/publish-one.ts'
import { recordJob } from './job-records.ts'

/** Creates a runner that publishes in this process, one source after the other, and resolves when all are done. */
export function createInProcessRunner(catalog: Catalog): Runner {
  return {
    publish: (requests, options = {}) => publishAll(catalog, requests, options),
    release: (name, requests, options = {}) => releaseInProcess(catalog, name, requests, options),
    close: () => Promise.resolve(),
  }
}

async function publishAll(
  catalog: Catalog,
  requests: readonly PublishRequest[],
  { onProgress }: RunOptions,
): Promise<readonly PublishResult[]> {
  const results: PublishResult[] = []
  for (const request of requests) {
    const report = (percent: number): void => onProgress?.((100 * results.length + percent) / requests.length)
    results.push(await publishRequest(catalog, request, report))
    report(0)
    await setImmediate()
  }
  return results
}

async function publishRequest(
  catalog: Catalog,
  request: PublishRequest,
  report: ReportProgress,
): Promise<PublishResult> {
  let id: string | null = null
  try {
    const next = await deduplicateRequest(catalog, request)
    if ('result' in next) return next.result
    const { job } = next
    const jobId = deriveJobId(job)
    id = jobId
    return await recordJob(catalog, { id: jobId, slug: job.slug }, () =>
      publishOne(catalog, job, jobId, report),
    )
  } catch (error) {
    return createErrorResult(request, error, id)
  }
}

/** Builds all members of a release, then commits them in one transaction. */
async function releaseInProcess(
  catalog: Catalog,
  name: string,
  requests: readonly PublishRequest[],
  { onProgress }: RunOptions,
): Promise<readonly PublishResult[]> {
  const { jobs, existing } = await deduplicateRequests(catalog, requests)
  if (jobs.length === 0) return orderResults(requests, existing)
  const id = deriveReleaseId(name, jobs)
  const failures = new Map<string, unknown>()
  const report = (percent: number): void => onProgress?.(percent)
  try {
    const results = await recordJob(catalog, { id, slug: name }, async () =>
      commitRelease(catalog, await prepareAll(catalog, jobs, id, failures, report)),
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
  catalog: Catalog,
  jobs: readonly PublishJob[],
  id: string,
  failures: Map<string, unknown>,
  report: ReportProgress,
): Promise<Preparation[]> {
  const preparations: Preparation[] = []
  for (const job of jobs) {
    try {
      preparations.push(
        await prepareVersion(catalog, job, id, (percent) =>
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
