import { join } from 'node:path'
import { openCatalog, type Catalog } from '@packs/catalog'
import type { Runner } from '@packs/publisher'
import { loadQueue, type PublishQueue } from '@packs/publisher'
import type { TestContext } from 'vitest'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { startOwnRedis, type OwnRedis } from '../../../test-kit/test/start-redis.ts'
import { startWorkerProcess, type WorkerOptions, type WorkerProcess } from './start-worker-process.ts'
import { waitUntil } from './wait-until.ts'

const { createQueueRunner, openQueue } = await loadQueue()

/** A durable Redis, a catalog, a queue runner and workers of one test, removed when the test ends. */
export interface Site {
  readonly redis: OwnRedis
  /** Path of a SQLite file, unless another address was given. */
  readonly databaseUrl: string
  readonly catalog: Catalog
  readonly runner: Runner
  readonly queue: PublishQueue
  /** Starts `pack worker`, which is ready a moment later. */
  startWorker(options?: Pick<WorkerOptions, 'concurrency' | 'deadline'>): WorkerProcess
  /** Waits until a job has reached a progress in percent or a state. */
  waitForJob(id: string, goal: number | string): Promise<void>
  /** Counts jobs in a state. */
  count(state: 'active' | 'completed' | 'failed' | 'waiting'): Promise<number>
  /** Counts versions of a pack. */
  countVersions(slug: string): Promise<number>
}

const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'everysec']

export async function openSite(
  context: TestContext,
  database?: string,
  options: { readonly lockTimeout?: number } = {},
): Promise<Site> {
  const { onTestFinished } = context
  const redis = await startOwnRedis(DURABLE, onTestFinished)
  const databaseUrl = database ?? join(makeFolder({}, onTestFinished), 'catalog.sqlite')
  const catalog = await openCatalog({ url: databaseUrl, ...options })
  onTestFinished(() => catalog.close())
  const runner = await createQueueRunner(catalog, redis.url)
  onTestFinished(() => runner.close())
  const queue = await openQueue(redis.url)
  onTestFinished(() => queue.close())
  return {
    redis,
    databaseUrl,
    catalog,
    runner,
    queue,
    startWorker(options) {
      const worker = startWorkerProcess({ redisUrl: redis.url, databaseUrl, ...options })
      onTestFinished(async () => {
        worker.killAll('SIGKILL')
        await worker.ended
      })
      return worker
    },
    waitForJob: async (id, goal) =>
      void (await waitUntil(`job ${id} is at ${goal}`, async () =>
        typeof goal === 'string'
          ? (await queue.queue.getJobState(id)) === goal
          : Number((await queue.queue.getJob(id))?.progress) >= goal,
      )),
    count: (state) => queue.queue.getJobCountByTypes(state),
    countVersions: async (slug) => (await catalog.packs.versions(slug)).length,
  }
}
