import { openCatalog, type Catalog } from '@packs/catalog'
import type { SandboxedJob } from 'bullmq'
import { createBuildThread } from '../build-thread/create-build-thread.ts'
import { runJob, wrapFailure, type JobValue } from './run-job.ts'

// oxlint-disable-next-line node/no-process-env -- the worker passes settings this way
const { PACKS_DATABASE_URL: url = '', PACKS_BUILD_SECONDS: seconds } = process.env

// Builds run in another thread, so this event arrives also during a build.
process.once('disconnect', () => process.exit())

const { build } = createBuildThread(seconds === undefined ? undefined : Number(seconds))
let opened: Promise<Catalog> | undefined

/** Runs one job. Settings come from the environment, because many can read job data. */
// oxlint-disable-next-line import/no-default-export -- BullMQ loads this file by its default export
export default async function processJob(job: SandboxedJob): Promise<JobValue> {
  const context = { catalog: await openOnce(), build }
  return runJob(context, job)
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
