import { openCatalog } from '@packs/catalog'
import type { Runner } from '@packs/publisher'
import { createQueueRunner, startWorker } from '@packs/publisher/queue'
import { connectRedis } from '../../packages/publisher/src/queue/connect-redis.ts'
import { medianOf } from '../median.ts'
import type { SourceKind } from './make-sources.ts'
import type { BenchDatabase } from './measure-embedded.ts'
import { openBareQueue, type BareQueue } from './open-bare-queue.ts'
import { quantileOf } from './quantile.ts'

/** Measurements of publishing through the queue, by one worker. */
export interface QueueFigures {
  readonly database: string
  readonly kind: string
  /** Processes of the worker. */
  readonly concurrency: number
  /** From the first job added to the last one completed. */
  readonly perSecond: number
  /** Baseline: BullMQ jobs that do nothing, alternating with the publishes. */
  readonly bareJobsPerSecond: number
  /** A single publish, from `publish` to its result. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly bareP50Ms: number
  readonly bareP99Ms: number
  /** Memory of Redis used by a waiting job. */
  readonly redisBytesPerJob: number
}

const ROUNDS = 3
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }

export async function measureQueue(
  database: BenchDatabase,
  kinds: readonly SourceKind[],
  redisUrl: string,
  concurrency: number,
): Promise<QueueFigures[]> {
  const catalog = await openCatalog({ url: database.url })
  const runner = await createQueueRunner(catalog, redisUrl)
  const bare = await openBareQueue(redisUrl, concurrency)
  const prefix = database.name.toLowerCase()
  try {
    const waiting = Array.from({ length: 200 }, (_, index) =>
      kinds[0]!.createRequest(`${prefix}-waiting-${index}`),
    )
    const before = await measureMemory(redisUrl)
    await runner.publish(waiting)
    const redisBytesPerJob = ((await measureMemory(redisUrl)) - before) / waiting.length
    const worker = await startWorker({ redisUrl, databaseUrl: database.url, concurrency, log: SILENT })
    try {
      await runner.publish(waiting, { wait: true })
      const figures: QueueFigures[] = []
      for (const kind of kinds) {
        const timed = await measureKind({ runner, bare, kind, prefix })
        figures.push({ database: database.name, kind: kind.name, concurrency, redisBytesPerJob, ...timed })
      }
      return figures
    } finally {
      await worker.drain(10_000)
    }
  } finally {
    await bare.close()
    await runner.close()
    await catalog.close()
  }
}

interface Timed {
  readonly runner: Runner
  readonly bare: BareQueue
  readonly kind: SourceKind
  readonly prefix: string
}

async function measureKind({
  runner,
  bare,
  kind,
  prefix,
}: Timed): Promise<Omit<QueueFigures, 'database' | 'kind' | 'concurrency' | 'redisBytesPerJob'>> {
  const name = `${prefix}-${kind.name}`
  const publishRates: number[] = []
  const bareRates: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const requests = Array.from({ length: kind.count }, (_, index) =>
      kind.createRequest(`${name}-${round}-${index}`),
    )
    publishRates.push(kind.count / (await time(() => runner.publish(requests, { wait: true }))))
    bareRates.push(kind.count / (await time(() => bare.run(kind.count))))
  }
  const alone: number[] = []
  const bareAlone: number[] = []
  for (let index = 0; index < kind.count; index++) {
    const request = kind.createRequest(`${name}-alone-${index}`)
    alone.push(await time(() => runner.publish([request], { wait: true })))
    bareAlone.push(await time(() => bare.runOne()))
  }
  return {
    perSecond: medianOf(publishRates) * 1000,
    bareJobsPerSecond: medianOf(bareRates) * 1000,
    p50Ms: quantileOf(alone, 0.5),
    p99Ms: quantileOf(alone, 0.99),
    bareP50Ms: quantileOf(bareAlone, 0.5),
    bareP99Ms: quantileOf(bareAlone, 0.99),
  }
}

/** Returns the duration of `work` in milliseconds. */
async function time(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function measureMemory(redisUrl: string): Promise<number> {
  const redis = await connectRedis(redisUrl, 'producer')
  const info = await redis.info('memory')
  redis.disconnect()
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1])
}
