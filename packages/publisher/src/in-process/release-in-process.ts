import { setImmediate } from 'node:timers/promises'
import { CatalogError, type Catalog } from '@packs/catalog'
import type { PublishRequest, PublishResult, RunOptions } from '../runner.ts'
import { admitRequests } from '../steps/admit-request.ts'
import { commitRelease } from '../steps/commit-release.ts'
import { findConflicts } from '../steps/find-conflicts.ts'
import type { PublishJob } from '../steps/job-data.ts'
import { nameRelease } from '../steps/name-job.ts'
import { prepareVersion, type Preparation, type Report } from '../steps/prepare-version.ts'
import { createReleaseError, failRequest, mergeResults } from '../steps/results.ts'
import { recordJob } from './record-job.ts'

/** Builds all members of a release, then commits them in one transaction. */
export async function releaseInProcess(
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
