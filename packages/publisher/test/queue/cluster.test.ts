import { createQueueRunner, openQueue, startWorker } from '../../src/queue/index.ts'
import { expect, it, onTestFinished } from 'vitest'
import { openTestCatalog, request, writeSource } from '../sources.ts'
import { startCluster } from '../start-cluster.ts'
import { silentLog } from './open-queue-site.ts'

it('publishes through a Redis Cluster by the address of any node', async () => {
  const { catalog, url } = await openTestCatalog()
  const cluster = await startCluster()
  const settings = { databaseUrl: url, concurrency: 1, log: silentLog }
  const worker = await startWorker({ redisUrl: cluster.urls[0]!, ...settings })
  onTestFinished(async () => void (await worker.drain(5000)))
  for (const [at, redisUrl] of cluster.urls.entries()) {
    const runner = await createQueueRunner(catalog, redisUrl)
    const requests = ['a', 'b'].map((name) => request(writeSource(`${name}-${at}`, '# A\n')))
    const results = await (at === 0
      ? runner.release('r', requests, { wait: true })
      : runner.publish(requests, { wait: true }))
    expect(results).toMatchObject([{ status: 'published' }, { status: 'published' }])
    await runner.close()
  }
  const queue = await openQueue(cluster.urls[1]!)
  onTestFinished(() => queue.close())
  expect(await queue.measure(Date.now())).toMatchObject({ jobs: { completed: 7, failed: 0 }, workers: 1 })
  expect(await queue.list(50)).toHaveLength(7)
  expect(await catalog.sequence()).toBe(6)
})
