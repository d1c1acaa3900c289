import type { PublishResult } from '../runner.ts'
import { commitRelease } from '../steps/commit-versions.ts'
import { describeFailure, isPermanent, serializeFailure } from '../steps/describe-failure.ts'
import { parseJobData, publishJobSchema, type PublishJob } from '../steps/job-data.ts'
import {
  prepareVersion,
  type Preparation,
  type PublishContext,
  type ReportProgress,
} from '../steps/prepare-version.ts'
import { publishOne } from '../steps/publish-one.ts'
import { updateOrigin } from '../steps/update-origin.ts'
import { loadBuiltVersion, storeBuiltVersion, type StoredVersion } from '../steps/store-built-version.ts'

/** The part of a queued job needed to run it. */
export interface QueuedJob {
  readonly id: string
  readonly data: unknown
  updateProgress(percent: number): Promise<void>
  /** Reads what may change while the job runs. */
  readLatest(): Promise<LatestData>
}

/** Data of a job as it is in the queue now. */
export interface LatestData {
  /** Data of the job itself, or for a release those of its members. */
  readonly data: readonly unknown[]
  /** Return values of the members of a release. */
  readonly values: readonly unknown[]
}

/** Return value of a job: a result, the results of a release, or the stored version of a member. */
export type JobValue = PublishResult | readonly PublishResult[] | StoredVersion

/**
 * Runs a queued job: a publish, a member of a release, or the release itself.
 *
 * @throws Error whose name is UnrecoverableError if a retry would fail the same way; it contains code, message and hint, and no
 * text of a pack
 */
export async function runJob(context: PublishContext, job: QueuedJob): Promise<JobValue> {
  try {
    return await dispatchJob(context, job)
  } catch (error) {
    throw wrapFailure(error)
  }
}

/** Wraps an error so that the queue can store it: without secrets and text of packs. */
export function wrapFailure(error: unknown): Error {
  const failure = describeFailure(error)
  const wrapped = new Error(serializeFailure(failure))
  // BullMQ does not repeat a job after an error of this name. Its class would load all of BullMQ into the process of the job.
  if (isPermanent(failure.code)) wrapped.name = 'UnrecoverableError'
  // Only the frames: the first lines repeat the message of the error, which may quote anything.
  const frames = error instanceof Error ? (error.stack ?? '').match(/^ {4}at .*$/gm) : null
  wrapped.stack = [`${wrapped.name}: ${failure.code}`, ...(frames ?? [])].join('\n')
  return wrapped
}

async function dispatchJob(context: PublishContext, job: QueuedJob): Promise<JobValue> {
  const { catalog } = context
  const data = parseJobData(job.data)
  const report = (percent: number): Promise<void> => job.updateProgress(percent)
  switch (data.kind) {
    case 'publish':
    case 'publish-given': {
      const { kind: _kind, ...publish } = data
      const readLatest = async (): Promise<PublishJob | undefined> =>
        findLatest((await job.readLatest()).data, publish.slug)
      return withoutMessages(await publishOne(context, publish, job.id, report, readLatest))
    }
    case 'member':
    case 'member-given': {
      const { kind: _kind, release, ...publish } = data
      return storeBuiltVersion(catalog, await prepareVersion(context, publish, release, report))
    }
    case 'release': {
      const members: Preparation[] = []
      for (const stored of (await job.readLatest()).values)
        members.push(await loadBuiltVersion(catalog, stored))
      const results = await commitRelease(catalog, await updateOrigins(context, members, job, report))
      return results.map((result) => withoutMessages(result))
    }
  }
}

async function updateOrigins(
  context: PublishContext,
  members: readonly Preparation[],
  job: QueuedJob,
  report: ReportProgress,
): Promise<readonly Preparation[]> {
  const { data } = await job.readLatest()
  const current: Preparation[] = []
  for (const member of members) {
    const readLatest = (): Promise<PublishJob | undefined> =>
      Promise.resolve('prepared' in member ? findLatest(data, member.prepared.job.slug) : undefined)
    current.push(await updateOrigin(context, member, readLatest, report))
  }
  return current
}

/** Returns the newest data of the publish of a pack; `undefined` if the queue has none that this version can read. */
function findLatest(data: readonly unknown[], slug: string): PublishJob | undefined {
  for (const item of data) {
    const found = publishJobSchema.safeParse(item).data
    if (found?.slug === slug) return found
  }
  return undefined
}

/** Messages quote the source, which only its author may see. */
function withoutMessages(result: PublishResult): PublishResult {
  return { ...result, messages: [] }
}
