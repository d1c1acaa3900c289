import type { PublishResult } from '../runner.ts'
import { commitRelease, publishOne } from '../steps/commit-versions.ts'
import { describeFailure, isPermanent, serializeFailure } from '../steps/job-result.ts'
import { parseJobData, publishJobSchema } from '../steps/job-data.ts'
import {
  prepareVersion,
  type Preparation,
  type PublishContext,
  type PreparedVersion,
} from '../steps/prepare-version.ts'
import { type Catalog, listFrames } from '@packs/catalog'
import { packSchema } from '@packs/codec/pack'
import { z } from 'zod'
import { PublishError } from '../publish-error.ts'

export interface QueuedJob {
  readonly id: string
  readonly data: unknown
  updateProgress(percent: number): Promise<void>
  /** Reads the return values of the members of a release. */
  getChildrenValues(): Promise<Readonly<Record<string, unknown>>>
}

/** Return value of a job: a result, the results of a release, or the stored version of a member. */
export type JobValue = PublishResult | readonly PublishResult[] | StoredVersion

/**
 * Runs a publish, a member of a release, or the release itself.
 * @throws Error with code, message and hint and no text of a pack; its name is UnrecoverableError
 *   if a retry would fail the same way
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
  const frames = error instanceof Error ? listFrames(error) : []
  wrapped.stack = [`${wrapped.name}: ${failure.code}`, ...frames].join('\n')
  return wrapped
}

async function dispatchJob(context: PublishContext, job: QueuedJob): Promise<JobValue> {
  const { catalog } = context
  const data = parseJobData(job.data)
  const report = (percent: number): Promise<void> => job.updateProgress(percent)
  switch (data.kind) {
    case 'publish': {
      const { kind: _kind, ...publish } = data
      return withoutMessages(await publishOne(context, publish, job.id, report))
    }
    case 'member': {
      const { kind: _kind, release, ...publish } = data
      return storeBuiltVersion(catalog, await prepareVersion(context, publish, release, report))
    }
    case 'release': {
      const members: Preparation[] = []
      for (const stored of Object.values(await job.getChildrenValues()))
        members.push(await loadBuiltVersion(catalog, stored))
      const results = await commitRelease(catalog, members)
      return results.map((result) => withoutMessages(result))
    }
  }
}

/** Messages quote the source, which only its author may see. */
function withoutMessages(result: PublishResult): PublishResult {
  return { ...result, messages: [] }
}

/** From a member to the job that commits: its result, or the digest of its stored version. */
type StoredVersion = { readonly result: PublishResult } | { readonly built: string }

/**
 * Stores the built version of a member in the catalog, by digest, until the release commits it.
 *
 * As a return value of the job it would put megabytes into Redis, and another machine may commit
 * the release. Stored by digest, a member that runs twice leaves one copy.
 */
async function storeBuiltVersion(catalog: Catalog, preparation: Preparation): Promise<StoredVersion> {
  if ('result' in preparation) return preparation
  const { messages: _messages, ...prepared } = preparation.prepared
  return { built: await catalog.sources.put(Buffer.from(JSON.stringify(prepared))) }
}

/** @throws PublishError `source_missing`, `invalid_job` */
async function loadBuiltVersion(catalog: Catalog, stored: unknown): Promise<Preparation> {
  const reference = storedVersionSchema.parse(stored)
  if ('result' in reference) return { result: reference.result as unknown as PublishResult }
  const bytes = await catalog.sources.get(reference.built)
  if (bytes === undefined) {
    throw new PublishError(
      'source_missing',
      `The catalog has no built version ${reference.built.slice(0, 12)}`,
      'Point all workers at the same database, then release again.',
    )
  }
  const prepared = preparedVersionSchema.parse(JSON.parse(Buffer.from(bytes).toString()))
  return { prepared: { ...prepared, messages: [] } }
}

const storedVersionSchema = z.union([
  z.object({ built: z.string().regex(/^[0-9a-f]{64}$/) }),
  z.object({ result: z.object({ slug: z.string() }).loose() }),
])

const preparedVersionSchema: z.ZodType<Omit<PreparedVersion, 'messages'>> = z.object({
  job: publishJobSchema,
  jobId: z.string(),
  pack: packSchema,
  settings: z.object({ scheme: z.string(), code: z.boolean(), tokenizer: z.string() }),
  assumed: z.array(z.string()).optional(),
  decision: z.object({
    version: z.string(),
    level: z.enum(['patch', 'minor', 'major']).nullable(),
    reasons: z.array(z.string()),
  }),
  parent: z.object({ version: z.string(), digest: z.string() }).nullable(),
})
