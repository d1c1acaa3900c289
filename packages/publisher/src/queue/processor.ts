import { openCatalog, type Catalog } from '@packs/catalog'
import type { SandboxedJob } from 'bullmq'
import { endWithWorker } from './end-with-worker.ts'
import { runJob, wrapFailure, type JobValue } from './run-job.ts'

endWithWorker()

let opened: Promise<Catalog> | undefined

/** Runs jobs of the queue, one at a time. Settings come with the process, as job data may be read by many. */
// oxlint-disable-next-line import/no-default-export -- the queue's library loads this file by its default export
export default async function processJob(job: SandboxedJob): Promise<JobValue> {
  const catalog = await openOnce()
  return runJob(catalog, {
    id: job.id,
    data: job.data,
    updateProgress: (percent) => job.updateProgress(percent),
    getChildrenValues: () => job.getChildrenValues(),
  })
}

async function openOnce(): Promise<Catalog> {
  // oxlint-disable-next-line node/no-process-env -- the worker hands over settings this way
  opened ??= openCatalog({ url: process.env['PACKS_DATABASE_URL'] ?? '' })
  try {
    return await opened
  } catch (error) {
    opened = undefined
    throw wrapFailure(error)
  }
}
