import type { Catalog } from '@packs/catalog'
import type { Runner } from '@packs/publisher'
import { createQueueRunner, openQueue, startWorker } from '../../src/queue/index.ts'
import type { PublishQueue, RunningWorker, WorkerLog } from '@packs/publisher'
import { vi } from 'vitest'
import { closeLater } from '../../../test-kit/test/close-later.ts'
import { openTestCatalog } from '../sources.ts'
import { startOwnRedis } from '../../../test-kit/test/start-redis.ts'

const ignore = (): void => undefined
export const silentLog: WorkerLog = { info: ignore, warn: ignore, error: ignore }

/** A catalog and a queue of its own, without a worker. */
export interface QueueSite {
  readonly catalog: Catalog
  readonly runner: Runner
  readonly queue: PublishQueue
  readonly redisUrl: string
  /** Starts a worker on the catalog, or on another one. */
  readonly startWorker: (options?: WorkerSettings) => Promise<RunningWorker>
  /** Waits until a job is in a state. */
  readonly waitForJob: (id: string, state: string) => Promise<void>
}

interface WorkerSettings {
  readonly databaseUrl?: string
  readonly buildSeconds?: number
  readonly onLine?: OnLine
}

/** Called with each line of the log of a worker. */
type OnLine = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** Opens a site that is closed when the test ends or, outside of tests, those of the file. */
export async function openQueueSite(): Promise<QueueSite> {
  const { catalog, url } = await openTestCatalog()
  const redis = await startOwnRedis()
  const queue = await openQueue(redis.url)
  closeLater(() => queue.close())
  const runner = await createQueueRunner(catalog, redis.url)
  closeLater(() => runner.close())
  return {
    catalog,
    runner,
    queue,
    redisUrl: redis.url,
    async startWorker({ databaseUrl = url, onLine = () => undefined, ...settings } = {}) {
      const log = { info: onLine, warn: onLine, error: onLine }
      const worker = await startWorker({ redisUrl: redis.url, databaseUrl, concurrency: 1, log, ...settings })
      closeLater(async () => void (await worker.drain(5000)))
      return worker
    },
    async waitForJob(id, state) {
      const check = async (): Promise<void> => {
        const found = await queue.queue.getJobState(id)
        if (found !== state) throw new Error(`The job is ${found}, not ${state}`)
      }
      await vi.waitFor(check, { timeout: 120_000, interval: 50 })
    },
  }
}
