import { openCatalog, type Catalog } from '@packs/catalog'
import type { SandboxedJob } from 'bullmq'
import { createBuildThread } from '../build-thread/create-build-thread.ts'
import { unavailableError } from './explain-queue-error.ts'
import { runJob, wrapFailure, type JobValue, type LatestData } from './run-job.ts'

// oxlint-disable-next-line node/no-process-env -- the worker passes settings this way
const { PACKS_DATABASE_URL: url = '', PACKS_BUILD_SECONDS: seconds } = process.env

// Builds run in another thread, so this event arrives also during a build.
process.once('disconnect', () => process.exit())

/** Questions to the worker before a job fails, and is tried again. */
const MAX_QUESTIONS = 20

const { build } = createBuildThread(seconds === undefined ? undefined : Number(seconds))
let opened: Promise<Catalog> | undefined

/**
 * Runs one job of the queue. Settings come from the environment, because many can read job data.
 */
// oxlint-disable-next-line import/no-default-export -- BullMQ loads this file by its default export
export default async function processJob(job: SandboxedJob): Promise<JobValue> {
  const context = { catalog: await openOnce(), build }
  return runJob(context, {
    id: job.id,
    data: job.data,
    updateProgress: (percent) => job.updateProgress(percent),
    readLatest: () => readLatest(job),
  })
}

/**
 * Asks the worker for the latest data of a job. BullMQ waits five seconds for its answer, which
 * takes longer while Redis restarts: so the question is repeated.
 *
 * @throws PublishError `queue_unavailable`
 */
async function readLatest(job: SandboxedJob): Promise<LatestData> {
  for (let questions = 1; ; questions++) {
    try {
      // The worker answers this question with the data, see `PublishWorker`.
      return await (job.getChildrenValues<never>() as Promise<unknown> as Promise<LatestData>)
    } catch (error) {
      if (questions === MAX_QUESTIONS) throw unavailableError('it does not answer', error)
    }
  }
}

async function openOnce(): Promise<Catalog> {
  opened ??= openCatalog({ url })
  try {
    return await opened
  } catch (error) {
    opened = undefined
    throw wrapFailure(error)
  }
}
