import { createRequire } from 'node:module'

/** Baseline for the queue: BullMQ jobs that do nothing, run in the process that adds them. */
export interface BareQueue {
  /** Adds jobs one after the other and waits until all are done. */
  run(count: number): Promise<void>
  /** Adds a job and waits until it is done. */
  runOne(): Promise<void>
  close(): Promise<void>
}

const load = createRequire(new URL('../../packages/publisher/package.json', import.meta.url))

export async function openBareQueue(redisUrl: string, concurrency: number): Promise<BareQueue> {
  const bullmq = load('bullmq') as BullMq
  const connection = { url: redisUrl, maxRetriesPerRequest: null }
  const queue = new bullmq.Queue('bare', { connection })
  const worker = new bullmq.Worker('bare', () => Promise.resolve(null), { connection, concurrency })
  const events = new bullmq.QueueEvents('bare', { connection })
  await events.waitUntilReady()
  return {
    async run(count) {
      const done = Promise.withResolvers<void>()
      let remaining = count
      const tick = (): void => {
        remaining -= 1
        if (remaining === 0) done.resolve()
      }
      worker.on('completed', tick)
      for (let index = 0; index < count; index++) await queue.add('job', {})
      await done.promise
      worker.off('completed', tick)
    },
    async runOne() {
      const job = await queue.add('job', {})
      await job.waitUntilFinished(events)
    },
    async close() {
      await Promise.all([worker.close(), events.close(), queue.close()])
    },
  }
}

interface BullMq {
  readonly Queue: new (
    name: string,
    options: object,
  ) => Closable & {
    add(name: string, data: object): Promise<{ waitUntilFinished(events: object): Promise<unknown> }>
  }
  readonly Worker: new (
    name: string,
    work: () => Promise<unknown>,
    options: object,
  ) => Closable & Record<'on' | 'off', (event: string, listener: () => void) => unknown>
  readonly QueueEvents: new (
    name: string,
    options: object,
  ) => Closable & { waitUntilReady(): Promise<unknown> }
}

interface Closable {
  close(): Promise<void>
}
