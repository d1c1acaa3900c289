import { setImmediate } from 'node:timers/promises'
import { type Catalog, CatalogError } from '@packs/catalog'
import type { PublishRequest, PublishResult, Runner, RunOptions } from '../runner.ts'
import { admitRequest, admitRequests } from '../steps/admit-request.ts'
import { commitRelease } from '../steps/commit-versions.ts'
import { nameJob, nameRelease, type PublishJob } from '../steps/job-data.ts'
import { type Preparation, prepareVersion, type Report } from '../steps/prepare-version.ts'
import { publishOne } from '../steps/publish-one.ts'
import { createReleaseError, failRequest, mergeResults } from '../steps/results.ts'
import { findConflicts } from '../steps/standing.ts'
import { recordJob } from './job-records.ts'

/** Creates the runner of the embedded default: publishes run here, one after the other, and are done on return. */
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
  report: Report,
): Promise<PublishResult> {
  let id: string | null = null
  try {
    const admission = await admitRequest(catalog, request)
    if ('result' in admission) return admission.result
    const { job } = admission
    const name = nameJob(job)
    id = name
    return await recordJob(catalog, { id: name, slug: job.slug }, () =>
      publishOne(catalog, job, name, report),
    )
  } catch (error) {
    return failRequest(request, error, id)
  }
}

/** Builds all members of a release, then commits them in one transaction. */
async function releaseInProcess(
  catalog: Catalog,
  name: string,
  requests: readonly PublishRequest[],
  { onProgress }: RunOptions,
): Promise<readonly PublishResult[]> {
  const { jobs, settled } = await admitRequests(catalog, requests)
  if (jobs.length === 0) return mergeResults(requests, settled)
  const id = nameRelease(name, jobs)
  const failures = new Map<string, unknown>()
  const report = (percent: number): void => onProgress?.(percent)
  try {
    const results = await recordJob(catalog, { id, slug: name }, async () =>
      commitRelease(catalog, await prepareAll(catalog, jobs, id, failures, report)),
    )
    return mergeResults(requests, [...settled, ...results])
  } catch (error) {
    const isConflict = error instanceof CatalogError && error.code === 'version_conflict'
    const found = isConflict ? await findConflicts(catalog, requests) : failures
    const guilty = jobs.find(({ slug }) => found.has(slug))
    const other = guilty ? createReleaseError(guilty.path) : error
    const failed = requests.map((request) =>
      failRequest(request, found.get(request.source.slug) ?? other, id),
    )
    return mergeResults(requests, [...failed, ...settled])
  }
}

async function prepareAll(
  catalog: Catalog,
  jobs: readonly PublishJob[],
  id: string,
  failures: Map<string, unknown>,
  report: Report,
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
      throw createReleaseError(job.path)
    }
  }
  return preparations
}
