import {
  type Account,
  createQuota,
  createRedisQuota,
  createVersionQuota,
  removeRedisCounts,
} from '@packs/catalog'
import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { closeLater } from '../../../test-kit/test/close-later.ts'
import { startRedis } from '../../../test-kit/test/start-redis.ts'
import {
  startPostgresTests,
  startSqliteTests,
  type TestDatabase,
} from '../../../test-kit/test/test-database.ts'
import { describeQuota, type TestQuotaStore } from './describe-quota.ts'

describeQuota('SQLite', async () => useDatabase(await startSqliteTests()))
describeQuota('Postgres', async () => useDatabase(await startPostgresTests()))

describeQuota('Redis', async () => {
  const { url } = await startRedis()
  return {
    url,
    open() {
      const client = new Redis(url)
      closeLater(() => client.disconnect())
      return Promise.resolve(createRedisQuota(client))
    },
  }
})

it('Redis keeps nothing of an account that was deleted, and all of the others', async () => {
  const server = await startRedis()
  const client = new Redis(server.url)
  const quota = createVersionQuota(createRedisQuota(client))
  const day = 24 * 3_600_000
  const now = new Date('2026-03-01T23:59:59.999Z')
  const read = (id: string, ago: number, sequences: readonly number[]): Promise<unknown> =>
    quota.take({ id, tier: 'pro', daily: 100 } as Account, new Date(now.getTime() - ago * day), sequences)
  for (const ago of [0, 1, 2])
    for (const id of ['ac_1', 'ac_11', 'ac_*', 'ac', 'ac_1 '])
      await read(id, ago, [1, 7, 9_007_199_254_740_991])
  const before = await client.keys('*')
  await removeRedisCounts(client, 'ac_1', now)
  const after = await client.keys('*')
  expect(after.toSorted()).toEqual(
    before.filter((key) => !/^packs:quota:ac_1(?: versions)?:/.test(key)).toSorted(),
  )
  expect(before.length - after.length).toBe(6)
  client.disconnect()
})

async function useDatabase(database: TestDatabase): Promise<TestQuotaStore> {
  const url = await database.create()
  return { url, open: async () => createQuota((await database.open(url)).quota) }
}
