import {
  createCatalogQuota,
  createFallbackQuota,
  createRedisQuota,
  type Catalog,
  type Quota,
} from '@packs/catalog'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'

const CONNECT_MS = 2000
const COMMAND_MS = 500

/** A quota and what it holds open. */
export interface OpenQuota {
  readonly quota: Quota
  close(): Promise<void>
}

/**
 * Opens the quota: in Redis where servers share one, else in the catalog. A server starts without its store too, and
 * grants little until that is back.
 */
export async function openQuota(
  catalog: Catalog,
  redisUrl: string | undefined,
  log: Logger,
  countFallback: () => void,
): Promise<OpenQuota> {
  const redis = redisUrl === undefined ? undefined : await openRedis(redisUrl)
  const quota = createFallbackQuota(
    redis === undefined ? createCatalogQuota(catalog) : createRedisQuota(redis),
    {
      onFallback({ kind }) {
        if (kind === 'away') log.error({}, 'the store of allowances is away: a tenth of each is granted')
        if (kind === 'back') log.info({}, 'the store of allowances is back')
        if (kind === 'decided') countFallback()
      },
    },
  )
  return {
    quota,
    async close() {
      await quota.close()
      redis?.disconnect()
    },
  }
}

async function openRedis(url: string): Promise<Redis> {
  const { Redis: Client } = await import('ioredis')
  const client = new Client(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS,
    retryStrategy: (times) => Math.min(100 * times, 1000),
  })
  // Failures reach whoever asked.
  client.on('error', () => undefined)
  await client.connect().catch(() => undefined)
  return client
}
