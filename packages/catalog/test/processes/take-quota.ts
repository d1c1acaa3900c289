import { createQuota, createRedisQuota, openCatalog, type Quota } from '@packs/catalog'
import { Redis } from 'ioredis'

// Takes many requests of a Free account concurrently, and prints how many were granted.
const [url = '', id = '', time = '', count = ''] = process.argv.slice(2)
const account = {
  id,
  email: 'ada@example.org',
  tier: 'free',
  daily: null,
  created_at: time,
  verified: true,
  disabled: false,
  reset_at: null,
  pending: null,
} as const
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
