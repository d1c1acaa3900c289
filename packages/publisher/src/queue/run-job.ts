import type { PublishResult } from '../runner.ts'
import { commitRelease, publishOne } from '../steps/commit-versions.ts'
import {
  createFailedResult,
  describeFailure,
  isPermanent,
  recordResult,
  serializeFailure,
} from '../steps/job-result.ts'
import type { PublishJob } from '../steps/accept-jobs.ts'
import {
  prepareVersion,
  type Preparation,
  type PublishContext,
  type PreparedVersion,
} from '../steps/prepare-version.ts'
import { type Catalog, isOutage, type JobRecord } from '@packs/catalog'
import { PublishError } from '../publish-error.ts'

/** A job of the queue. The queue says only which one to run: others can write to Redis. */
export interface QueuedJob {
  readonly id: string
  /** Whether it waits for a database that is away, instead of using an attempt. */
  readonly isPatient: boolean
  /** Whether a failure is not retried. */
  readonly isLastAttempt: boolean
  updateProgress(percent: number): Promise<void>
  /** Runs it again after so many milliseconds, which is not an attempt; `reason` is an outage's. */
  delay(ms: number, reason?: string): Promise<void>
}

/**
 * Runs a publish, a member of a release, or the release itself, as the catalog has it. A publish
 * waits until those of its pack that were accepted before are done, and while the database is away.
 * The catalog gets the results.
 * @throws Error with code, message and hint and no text of a pack; its name is UnrecoverableError
 *   if a retry would fail the same way
 */
export async function runJob(open: () => Promise<PublishContext>, job: QueuedJob): Promise<void> {
  let found: JobRecord | undefined
  let catalog: Catalog | undefined
  try {
    const context = await open()
    catalog = context.catalog
    found = await catalog.jobs.get(job.id)
    if (found === undefined || found.owner !== null)
      throw new PublishError(
        'invalid_job',
        `The catalog has no job ${job.id.slice(0, 160)}`,
        'Another program added it, an earlier version, or one with another database: publish again.',
      )
    // A queue delivers at least once.
    if (found.state === 'completed' && found.result !== null) return
    const { slug, sequence, data } = found
    const earlier = data === null ? [] : await catalog.jobs.unfinished([slug], sequence)
    if (earlier.length === 0) await dispatchJob(context, job, found)
    else return await job.delay(WAIT_MS * Math.min(earlier.length, MAX_WAITS))
  } catch (error) {
    const failure = describeFailure(error)
    if (job.isPatient && isOutage(error)) return await job.delay(OUTAGE_MS, serializeFailure(failure))
    if (catalog && found?.owner === null && (job.isLastAttempt || isPermanent(failure.code)))
      await recordResult(catalog, job.id, createFailedResult(found.slug, failure, job.id)).catch(
        () => undefined,
      )
    throw wrapFailure(error)
  }
}

/** How often a job looks whether it is its turn, for each job before it. */
const WAIT_MS = 500
const MAX_WAITS = 60
/** Until then its worker has stopped taking jobs. */
const OUTAGE_MS = 1000

/** Wraps an error so that the queue can store it: without secrets and text of packs. */
export function wrapFailure(error: unknown): Error {
  const failure = describeFailure(error)
  const wrapped = new Error(serializeFailure(failure))
  // BullMQ does not repeat a job after an error of this name. Its class would load all of BullMQ into the process of the job.
  if (isPermanent(failure.code)) wrapped.name = 'UnrecoverableError'
  // Only the frames: the first lines repeat the message of the error, which may quote anything.
  const frames = (error instanceof Error && error.stack?.match(/^ {4}at .*$/gm)) || []
  wrapped.stack = [`${wrapped.name}: ${failure.code}`, ...frames].join('\n')
  return wrapped
}

async function dispatchJob(
  context: PublishContext,
  job: QueuedJob,
  { id, data, release }: JobRecord,
): Promise<void> {
  const { catalog } = context
  const report = (percent: number): Promise<void> => job.updateProgress(percent)
  if (data === null) {
    const built = await catalog.jobs.members(id)
    const members: Preparation[] = []
    for (const { result } of built) members.push(await loadBuiltVersion(catalog, result))
    return recordResult(catalog, id, await commitRelease(catalog, members))
  }
  // A worker that overlooked a value of a later version would get another digest of the source.
  const publish = JSON.parse(data) as PublishJob
  if (release === null) return recordResult(catalog, id, await publishOne(context, publish, id, report))
  const stored = await storeBuiltVersion(catalog, await prepareVersion(context, publish, release, report))
  await catalog.jobs.finish(id, { state: 'completed', error: null, result: JSON.stringify(stored) })
}

/** From a member to the job that commits: its result, or the digest of its stored version. */
type StoredVersion = { readonly result: PublishResult } | { readonly built: string }

/** Stores a built member by digest, because another machine may commit the release. */
async function storeBuiltVersion(catalog: Catalog, preparation: Preparation): Promise<StoredVersion> {
  if ('result' in preparation) return preparation
  const { messages: _messages, ...prepared } = preparation.prepared
  const text = Buffer.from(JSON.stringify(prepared))
  return { built: await catalog.sources.put(text, prepared.job.source) }
}

/** @throws PublishError `source_missing`, `invalid_job` */
async function loadBuiltVersion(catalog: Catalog, stored: string | null): Promise<Preparation> {
  const reference = JSON.parse(stored ?? 'null') as StoredVersion | null
  if (reference === null)
    throw new PublishError('invalid_job', 'A member of the release is not built', 'Release again.')
  if ('result' in reference) return reference
  const bytes = await catalog.sources.get(reference.built)
  if (bytes === undefined) {
    throw new PublishError(
      'source_missing',
      `The catalog has no built version ${reference.built.slice(0, 12)}`,
      'Point all workers at the same database, then release again.',
    )
  }
  const prepared = JSON.parse(Buffer.from(bytes).toString()) as Omit<PreparedVersion, 'messages'>
  return { prepared: { ...prepared, messages: [] } }
}
