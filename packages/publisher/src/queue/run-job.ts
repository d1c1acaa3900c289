import type { Catalog } from '@packs/catalog'
import { UnrecoverableError } from 'bullmq'
import type { PublishResult } from '../runner.ts'
import { commitRelease } from '../steps/commit-versions.ts'
import { describeFailure, isPermanent, serializeFailure } from '../steps/describe-failure.ts'
import { parseJobData } from '../steps/job-data.ts'
import { storeBuiltVersion, loadBuiltVersion, type StoredVersion } from '../steps/store-built-version.ts'
import { prepareVersion, type Preparation } from '../steps/prepare-version.ts'
import { publishOne } from '../steps/publish-one.ts'

/** The parts of a queued job that running it needs. */
export interface QueuedJob {
  readonly id: string
  readonly data: unknown
  updateProgress(percent: number): Promise<void>
  getChildrenValues(): Promise<Readonly<Record<string, unknown>>>
}

/** What a job returns: a result, those of a release, or what its member has built. */
export type JobValue = PublishResult | readonly PublishResult[] | StoredVersion

/**
 * Runs a queued job: a publish, a member of a release, or the release itself.
 *
 * @throws UnrecoverableError where trying again would end the same, another Error else; their texts hold code, message and
 * hint, and nothing of a pack
 */
export async function runJob(catalog: Catalog, job: QueuedJob): Promise<JobValue> {
  try {
    return await dispatchJob(catalog, job)
  } catch (error) {
    throw wrapFailure(error)
  }
}

/** Makes an error that a queue may keep. */
export function wrapFailure(error: unknown): Error {
  const failure = describeFailure(error)
  const wrapped = isPermanent(failure.code)
    ? new UnrecoverableError(serializeFailure(failure))
    : new Error(serializeFailure(failure))
  // Frames alone: the first lines repeat the message of what was thrown, which may quote anything.
  const frames = error instanceof Error ? (error.stack ?? '').match(/^ {4}at .*$/gm) : null
  wrapped.stack = [`${wrapped.name}: ${failure.code}`, ...(frames ?? [])].join('\n')
  return wrapped
}

async function dispatchJob(catalog: Catalog, job: QueuedJob): Promise<JobValue> {
  const data = parseJobData(job.data)
  const report = (percent: number): Promise<void> => job.updateProgress(percent)
  switch (data.kind) {
    case 'publish': {
      const { kind: _kind, ...publish } = data
      return withoutMessages(await publishOne(catalog, publish, job.id, report))
    }
    case 'member': {
      const { kind: _kind, release, ...publish } = data
      return storeBuiltVersion(catalog, await prepareVersion(catalog, publish, release, report))
    }
    case 'release': {
      const members: Preparation[] = []
      for (const kept of Object.values(await job.getChildrenValues()))
        members.push(await loadBuiltVersion(catalog, kept))
      const results = await commitRelease(catalog, members)
      return results.map((result) => withoutMessages(result))
    }
  }
}

/** Messages quote the source, and are its author's alone. */
function withoutMessages(result: PublishResult): PublishResult {
  return { ...result, messages: [] }
}
