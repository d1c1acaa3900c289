import { createQuota, createRedisQuota, type Quota } from '@packs/catalog'
import { Redis } from 'ioredis'
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
  const server = await startRedis()
  const clients: Redis[] = []
  return {
    url: server.url,
    open(): Promise<Quota> {
      const client = new Redis(server.url)
      clients.push(client)
      return Promise.resolve(createRedisQuota(client))
    },
    async stop() {
      for (const client of clients) client.disconnect()
      await server.stop()
    },
  }
})

async function useDatabase(database: TestDatabase): Promise<TestQuotaStore> {
  const url = await database.create()
  return {
    url,
    open: async () => createQuota((await database.open(url)).quota),
    async stop() {
      await database.closeAll()
      await database.stop()
    },
  }
}
