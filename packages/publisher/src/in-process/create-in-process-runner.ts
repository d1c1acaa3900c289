import { setImmediate } from 'node:timers/promises'
import { CatalogError, type Catalog, type JobRecord } from '@packs/catalog'
import { createBuildThread } from '../build-thread/create-build-thread.ts'
import type { PublishRequest, PublishResult, Runner, RunOptions, JobLine } from '../runner.ts'
import { commitRelease, publishOne } from '../steps/commit-versions.ts'
import {
  createErrorResult,
  orderResults,
  releaseError,
  describeFailure,
  deduplicateRequest,
  deduplicateRequests,
  findConflicts,
} from '../steps/job-result.ts'
import { deriveJobId, deriveReleaseId, type PublishJob } from '../steps/job-data.ts'
import {
  prepareVersion,
  type Preparation,
  type PublishContext,
  type ReportProgress,
} from '../steps/prepare-version.ts'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

export interface InProcessOptions {
  /** Longest build of one source in seconds. @default 600 */
  readonly buildSeconds?: number | undefined
}

/**
 * Publishes in this process, one source after the other, until all are done. Builds run in a
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

/** Runs work and records its state, attempts and error for `pack jobs`. */
async function recordJob<T>(
  { jobs }: Catalog,
  { id, slug }: { readonly id: string; readonly slug: string },
  work: () => Promise<T>,
): Promise<T> {
  const attempts = 1 + ((await jobs.get(id))?.attempts ?? 0)
  const job = { id, slug, attempts, error: null, owner: null }
  await jobs.put({ ...job, state: 'active', progress: 0, owner: identifyProcess() })
  try {
    const result = await work()
    await jobs.put({ ...job, state: 'completed', progress: 100 })
    return result
  } catch (error) {
    const { code, message } = describeFailure(error)
    await jobs
      .put({ ...job, state: 'failed', progress: 0, error: `${code}: ${message}` })
      .catch(() => undefined)
    throw error
  }
}

/** Milliseconds without an update after which a job of another machine counts as abandoned. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Lists publishes that ran in process, newest first. One whose process was killed has failed: the
 * commit of a version also completes its job.
 */
export async function listOwnJobs(
  { jobs }: Pick<Catalog, 'jobs'>,
  limit: number,
  now: Date,
): Promise<readonly JobLine[]> {
  return (await jobs.list(limit)).map((job) => describeJob(job, now))
}

/** Finds one publish that ran in process, described as in {@link listOwnJobs}. */
export async function findOwnJob(
  { jobs }: Pick<Catalog, 'jobs'>,
  id: string,
  now: Date,
): Promise<JobLine | undefined> {
  const job = await jobs.get(id)
  return job && describeJob(job, now)
}

function describeJob(record: JobRecord, now: Date): JobLine {
  const { owner: _owner, updated_at: _updated, ...line } = record
  if (!isAbandoned(record, now)) return line
  const error =
    'job_abandoned: The process of the job ended before it was done, and nothing was published: publish again'
  return { ...line, state: 'failed', error }
}

function isAbandoned({ state, owner, updated_at }: JobRecord, now: Date): boolean {
  if (state !== 'active') return false
  const isRunning = owner === null ? undefined : isOwnerRunning(owner)
  return isRunning === undefined ? now.getTime() - Date.parse(updated_at) > ABANDONED_AFTER_MS : !isRunning
}

/** Host name, process id and, if known, start time, because ids are reused. */
function identifyProcess(): string {
  return `${hostname()} ${process.pid} ${readStat(process.pid)?.start ?? UNKNOWN_START}`
}

/** Whether the owner of a job still runs; `undefined` if it is on another machine. */
function isOwnerRunning(owner: string): boolean | undefined {
  const [host, pid = '', start] = owner.split(' ')
  if (host !== hostname() || !/^\d+$/.test(pid)) return undefined
  if (!processExists(Number(pid))) return false
  const stat = readStat(Number(pid))
  // Without /proc, a process with this id is taken for the owner.
  if (stat === undefined) return true
  return !ENDED_STATES.has(stat.state) && (start === UNKNOWN_START || start === stat.start)
}

const UNKNOWN_START = '-'

/** Zombie and dead: ended, but not yet waited for by the parent process. */
const ENDED_STATES: ReadonlySet<string> = new Set(['Z', 'X'])

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** State and start time in clock ticks since boot: proc_pid_stat(5), fields 3 and 22. */
function readStat(pid: number): { readonly state: string; readonly start: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const start = fields[18]
    return state === undefined || start === undefined ? undefined : { state, start }
  } catch {
    return undefined
  }
}
