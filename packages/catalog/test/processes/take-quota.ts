import { createQuota, createRedisQuota, openCatalog, type Quota } from '@packs/catalog'
import { Redis } from 'ioredis'
import { makeAccount } from '../../../test-kit/test/make-version.ts'

// Takes many requests of a Free account concurrently, and prints how many were granted.
const [url = '', id = '', time = '', count = ''] = process.argv.slice(2)
const account = makeAccount({ id })
const { quota, close } = await open()
const states = await Promise.all(
  Array.from({ length: Number(count) }, () => quota.take(account, new Date(time))),
)
process.stdout.write(`${states.filter(({ allowed }) => allowed).length}\n`)
await quota.close()
await close()

async function open(): Promise<{ quota: Quota; close: () => unknown }> {
  if (url.startsWith('redis')) {
    const redis = new Redis(url)
    return { quota: createRedisQuota(redis), close: () => redis.quit() }
  }
  const catalog = await openCatalog({ url })
  return { quota: createQuota(catalog.quota), close: () => catalog.close() }
}
