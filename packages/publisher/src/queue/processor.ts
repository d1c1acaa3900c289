import { Worker } from 'node:worker_threads'
import { openCatalog, type Catalog } from '@packs/catalog'
import type { SandboxedJob } from 'bullmq'
import { runJob, wrapFailure, type JobValue, type LatestData } from './run-job.ts'

const CHECK_MS = 500

/** A build blocks the main thread, so only another thread can notice that the parent is gone and end the process. */
const WATCHDOG = `
  const { workerData } = require('node:worker_threads')
  setInterval(() => {
    if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL')
  }, ${CHECK_MS})
`

exitWithParent()

let opened: Promise<Catalog> | undefined

/** Runs one job of the queue. Settings come from the environment, because many can read job data. */
// oxlint-disable-next-line import/no-default-export -- BullMQ loads this file by its default export
export default async function processJob(job: SandboxedJob): Promise<JobValue> {
  const catalog = await openOnce()
  return runJob(catalog, {
    id: job.id,
    data: job.data,
    updateProgress: (percent) => job.updateProgress(percent),
    // The worker answers this question with the latest data of the job.
    readLatest: () => job.getChildrenValues<never>() as Promise<unknown> as Promise<LatestData>,
  })
}

async function openOnce(): Promise<Catalog> {
  // oxlint-disable-next-line node/no-process-env -- the worker passes settings this way
  opened ??= openCatalog({ url: process.env['PACKS_DATABASE_URL'] ?? '' })
  try {
    return await opened
  } catch (error) {
    opened = undefined
    throw wrapFailure(error)
  }
}

/** Exits soon after the parent process, even if the parent was killed and a build is running. */
function exitWithParent(): void {
  process.once('disconnect', () => process.exit())
  new Worker(WATCHDOG, { eval: true, workerData: process.ppid, execArgv: [], env: {} }).unref()
}
