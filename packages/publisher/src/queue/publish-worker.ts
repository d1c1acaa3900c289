import { Job, Worker } from 'bullmq'
import type { LatestData } from './run-job.ts'

/**
 * A worker whose job processes can read the current data of their jobs.
 *
 * A job process knows its data as they were when the job started, and can ask the worker only what BullMQ forwards. Of these
 * questions, this worker answers the one about the values of children with {@link LatestData}.
 */
export class PublishWorker extends Worker {
  protected override callProcessJob(job: Job, token: string, signal?: AbortSignal): Promise<unknown> {
    const answering = Object.assign(job, { getChildrenValues: () => this.readLatest(job.id!) })
    return super.callProcessJob(answering, token, signal)
  }

  private async readLatest(id: string): Promise<LatestData> {
    const job = await Job.fromId(this, id)
    const values = Object.entries((await job?.getChildrenValues()) ?? {})
    // The key of a job ends with its id, which contains no colon.
    const members = values.map(([key]) => Job.fromId(this, key.slice(key.lastIndexOf(':') + 1)))
    const jobs = values.length === 0 ? [job] : await Promise.all(members)
    return {
      data: jobs.flatMap((found) => (found ? [found.data as unknown] : [])),
      values: values.map(([, value]) => value as unknown),
    }
  }
}
