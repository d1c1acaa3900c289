import { openCatalog, type Catalog } from '@packs/catalog'
import type { SandboxedJob } from 'bullmq'
import { createBuildThread } from '../build-thread/create-build-thread.ts'
import { runJob } from './run-job.ts'

// oxlint-disable-next-line node/no-process-env -- the worker passes settings this way
const { PACKS_DATABASE_URL: url = '', PACKS_BUILD_SECONDS: seconds } = process.env

// Builds run in another thread, so this event arrives also during a build.
process.once('disconnect', () => process.exit())

const { build } = createBuildThread(seconds === undefined ? undefined : Number(seconds))
/** Starts that were no attempts. One that crashes the database each time must end. */
const MAX_FREE_STARTS = 50

let opened: Promise<Catalog> | undefined

/** Runs one job. Settings come from the environment, because many can read job data. */
// oxlint-disable-next-line import/no-default-export -- BullMQ loads this file by its default export
export default async function processJob(job: SandboxedJob, token: string): Promise<void> {
  let isDelayed = false
  await runJob(async () => ({ catalog: await openOnce(), build }), {
    id: job.id,
    isPatient: job.attemptsStarted - job.attemptsMade <= MAX_FREE_STARTS,
    isLastAttempt: job.attemptsMade + 1 >= (job.opts.attempts ?? 1),
    updateProgress: (percent) => job.updateProgress(percent),
    async delay(ms, reason) {
      isDelayed = true
      if (reason !== undefined) await job.updateProgress(reason)
      await job.moveToDelayed(Date.now() + ms, token)
    },
  })
  // BullMQ recognizes the error by its name. Its class would load all of BullMQ into this process.
  if (isDelayed) throw Object.assign(new Error('Waits for an earlier job'), { name: 'DelayedError' })
}

async function openOnce(): Promise<Catalog> {
  opened ??= openCatalog({ url })
  try {
    return await opened
  } catch (error) {
    opened = undefined
    throw error
  }
}
