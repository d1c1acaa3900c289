import type { PublishQueue } from './open-queue.ts'

/** The queue in figures. */
export interface QueueFigures {
  /** Jobs by state. */
  readonly jobs: Readonly<Record<string, number>>
  readonly workers: number
  /** Milliseconds that the job waits which is next; 0 without one. */
  readonly oldestWait: number
}

/** Measures the queue. @param now milliseconds since 1970 @throws PublishError */
export async function measureQueue({ queue, ask }: PublishQueue, now: number): Promise<QueueFigures> {
  return ask(async () => {
    const counts = await queue.getJobCounts(
      'active',
      'waiting',
      'waiting-children',
      'delayed',
      'failed',
      'completed',
    )
    const [next] = await queue.getJobs(['waiting'], 0, 0, true)
    return {
      jobs: counts,
      workers: await queue.getWorkersCount(),
      oldestWait: next ? Math.max(0, now - next.timestamp) : 0,
    }
  })
}
