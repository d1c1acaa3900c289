import { setImmediate, setTimeout } from 'node:timers/promises'
import { CatalogError, type Catalog, type JobRecord } from '@packs/catalog'
import {
  acceptPublish,
  acceptRelease,
  type AcceptedJob,
  ABANDONED,
  endAbandoned,
  identifyProcess,
  isAbandoned,
  type PublishJob,
} from '../steps/accept-jobs.ts'
import { createBuildThread } from '../build-thread/create-build-thread.ts'
import type { PublishRequest, PublishResult, Runner, RunOptions, JobLine, JobList } from '../runner.ts'
import { commitRelease, publishOne } from '../steps/commit-versions.ts'
import {
  createErrorResult,
  createFailedResult,
  createResult,
  orderResults,
  parseFailure,
  recordResult,
  releaseError,
  deduplicateRequest,
  deduplicateRequests,
  findConflicts,
} from '../steps/job-result.ts'
import {
  prepareVersion,
  type Preparation,
  type PublishContext,
  type ReportProgress,
} from '../steps/prepare-version.ts'

export interface InProcessOptions {
  /** Longest build of one source in seconds. @default 600 */
  readonly buildSeconds?: number | undefined
}

/** Publishes one source after the other. A build that takes too long ends its thread. */
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
    await countUnfinished(context.catalog, [request.source.slug])
    const next = await deduplicateRequest(context.catalog, request)
    if ('result' in next) return next.result
    const { job } = next
    const accepted = await acceptPublish(context.catalog, job, identifyProcess())
    const { id: jobId } = accepted
    id = jobId
    return await runAccepted(
      context.catalog,
      accepted,
      [job],
      () => publishOne(context, job, jobId, report),
      (error) => createErrorResult(request, error, jobId),
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
  const slugs = requests.map(({ source }) => source.slug)
  await countUnfinished(catalog, slugs)
  const { jobs, existing } = await deduplicateRequests(catalog, requests)
  if (jobs.length === 0) return orderResults(requests, existing)
  const accepted = await acceptRelease(catalog, name, jobs, identifyProcess())
  const { id } = accepted
  const failures = new Map<string, unknown>()
  const report = (percent: number): void => onProgress?.(percent)
  const explain = async (error: unknown): Promise<readonly PublishResult[]> => {
    const isConflict = error instanceof CatalogError && error.code === 'version_conflict'
    const found = isConflict ? await findConflicts(catalog, requests) : failures
    const failedJob = jobs.find(({ slug }) => found.has(slug))
    const otherError = failedJob ? releaseError(failedJob.path) : error
    return requests
      .filter(({ source }) => jobs.some(({ slug }) => slug === source.slug))
      .map((request) => createErrorResult(request, found.get(request.source.slug) ?? otherError, id))
  }
  const work = async (): Promise<readonly PublishResult[]> =>
    commitRelease(catalog, await prepareAll(context, jobs, id, failures, report))
  return orderResults(requests, [...existing, ...(await runAccepted(catalog, accepted, jobs, work, explain))])
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

/** How often a job looks whether it is its turn, and shows that its process is alive. */
const POLL_MS = 100
const TOUCH_MS = 20_000

/** Runs a job when earlier ones of its packs are done. A joined one waits for the results. */
async function runAccepted<T extends PublishResult | readonly PublishResult[]>(
  catalog: Catalog,
  { id, isJoined }: AcceptedJob,
  publishes: readonly PublishJob[],
  work: () => Promise<T>,
  explain: (error: unknown) => T | Promise<T>,
): Promise<T> {
  const { jobs } = catalog
  const slugs = publishes.map(({ slug }) => slug)
  const touch = isJoined ? undefined : setInterval(() => void jobs.touch(id).catch(() => undefined), TOUCH_MS)
  try {
    const { sequence } = (await jobs.get(id))!
    const before = sequence + (isJoined ? 1 : 0)
    while ((await countUnfinished(catalog, slugs, before)) > 0) await setTimeout(POLL_MS)
    const recorded = isJoined ? (await jobs.get(id))?.result : null
    if (recorded) return JSON.parse(recorded) as T
    const result = await work()
    await recordResult(catalog, id, result)
    return result
  } catch (error) {
    const result = await explain(error)
    await recordResult(catalog, id, result).catch(() => undefined)
    return result
  } finally {
    clearInterval(touch)
  }
}

/** Counts unfinished jobs. Those whose process has ended are ended first. */
async function countUnfinished(catalog: Catalog, slugs: readonly string[], before?: number): Promise<number> {
  const unfinished = await catalog.jobs.unfinished(slugs, before)
  const abandoned = unfinished.filter((job) => isAbandoned(job, new Date()))
  for (const job of abandoned) await endAbandoned(catalog, job)
  return unfinished.length - abandoned.length
}

/** Lists publishes that ran in process, newest first. One whose process was killed has failed. */
export function openOwnJobs({ jobs }: Pick<Catalog, 'jobs'>, now: Date): JobList {
  return {
    list: async (limit) => (await jobs.list(limit)).map((job) => describeJob(job, now)),
    find: async (id) => jobs.get(id).then((job) => job && describeJob(job, now)),
  }
}

function describeJob(job: JobRecord, now: Date): JobLine {
  const { id, slug, state, progress, attempts, error, updated_at: at } = job
  const line = { id, slug, state, progress, attempts, error, at }
  if (state !== 'active' || !isAbandoned(job, now)) return line
  return { ...line, state: 'failed', error: ABANDONED }
}

/** Returns the result of a publish; status `queued` until there is one. */
export function readJob(job: JobRecord, now: Date): PublishResult {
  const { id, slug, result } = job
  const { state, error } = describeJob(job, now)
  if (result !== null && (state === 'completed' || state === 'failed'))
    return JSON.parse(result) as PublishResult
  if (state === 'failed') return createFailedResult(slug, parseFailure(error ?? ''), id)
  return createResult({ slug, status: 'queued', job: id })
}
