import { createRequire } from 'node:module'

/** BullMQ alone: jobs that do nothing, in the process that adds them. */
export interface BareQueue {
  /** Adds jobs one after the other; comes back when all are done. */
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
      let open = count
      const tick = (): void => {
        open -= 1
        if (open === 0) done.resolve()
      }
      worker.on('completed', tick)
      for (let turn = 0; turn < count; turn++) await queue.add('job', {})
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
