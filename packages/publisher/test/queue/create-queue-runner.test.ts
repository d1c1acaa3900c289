import { createQueueRunner, startWorker } from '../../src/queue/index.ts'
import { closeLater } from '../../../test-kit/test/close-later.ts'
import { startRedis } from '../../../test-kit/test/start-redis.ts'
import { describeGivenValues } from '../describe-given-values.ts'
import { describeRunner } from '../describe-runner.ts'
import { openTestCatalog } from '../sources.ts'
import { failures } from './list-failures.ts'
import { silentLog } from './open-queue-site.ts'

const { catalog, url: databaseUrl } = await openTestCatalog()
const { url: redisUrl } = await startRedis()
const worker = await startWorker({ redisUrl, databaseUrl, concurrency: 2, log: silentLog })
closeLater(() => worker.drain(10_000))
const runner = await createQueueRunner(catalog, redisUrl)
closeLater(() => runner.close())

describeGivenValues('the queue runner', () => Promise.resolve({ catalog, runner }))

describeRunner('the queue runner', () => Promise.resolve({ catalog, runner }), failures)
