import { openCatalog, type Catalog } from '@packs/catalog'
import type { Runner } from '@packs/publisher'
import { createQueueRunner, startWorker, type RunningWorker } from '@packs/publisher'
import { afterAll, beforeAll } from 'vitest'
import { describeGivenValues } from '../describe-given-values.ts'
import { describeRunner } from '../describe-runner.ts'
import { createFolder } from '../sources.ts'
import { startRedis, type TestRedis } from '../../../test-kit/test/start-redis.ts'
import { failures } from './list-failures.ts'

let redis: TestRedis
let worker: RunningWorker
let catalog: Catalog
let runner: Runner
const folder = createFolder()

beforeAll(async () => {
  const databaseUrl = `${folder.path}/catalog.sqlite`
  redis = await startRedis()
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  worker = await startWorker({ redisUrl: redis.url, databaseUrl, concurrency: 2, log })
  catalog = await openCatalog({ url: databaseUrl })
  runner = await createQueueRunner(catalog, redis.url)
})

afterAll(async () => {
  await runner.close()
  await worker.drain(10_000)
  await catalog.close()
  await redis.stop()
  folder.remove()
})

describeGivenValues('the queue runner', () => Promise.resolve({ catalog, runner }))

describeRunner('the queue runner', () => Promise.resolve({ catalog, runner }), failures)
