import {
  createCatalogQuota,
  createFallbackQuota,
  createRedisQuota,
  type Catalog,
  type Quota,
  type RedisClient,
} from '@packs/catalog'
import type { RedisConnection } from '@packs/publisher/queue'
import type { Logger } from 'pino'

const CONNECT_MS = 2000
const COMMAND_MS = 500

/** A quota and the connection of its store. */
export interface QuotaConnection {
  readonly quota: Quota
  close(): Promise<void>
}

/**
 * Opens the quota: in Redis if there is one for several servers, else in the catalog. A server also starts while the store is
 * unreachable, and grants a tenth of each quota until it is back.
 */
export async function openQuota(
  catalog: Catalog,
  redisUrl: string | undefined,
  log: Logger,
  countFallback: () => void,
): Promise<QuotaConnection> {
  const redis = redisUrl === undefined ? undefined : await openRedis(redisUrl)
  const quota = createFallbackQuota(
    redis === undefined ? createCatalogQuota(catalog) : createRedisQuota(redis),
    {
      onFallback({ kind }) {
        if (kind === 'unreachable')
          log.error({}, 'the quota store is unreachable: a tenth of each quota is granted')
        if (kind === 'reachable') log.info({}, 'the quota store is reachable again')
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

/** If the server turns out to be a node of a cluster, a cluster client replaces the connection. */
async function openRedis(url: string): Promise<RedisClient & { disconnect(): void }> {
  const { Redis: Client } = await import('ioredis')
  const { createCluster, isClusterNode } = await import('@packs/publisher/queue')
  const options = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS,
  }
  const first = new Client(url, {
    ...options,
    lazyConnect: true,
    retryStrategy: (times) => Math.min(100 * times, 1000),
  })
  let client: RedisConnection = first
  const joinCluster = async (): Promise<void> => {
    if (client !== first || !(await isClusterNode(first))) return
    client = createCluster(url, options)
    client.on('error', () => undefined)
    first.disconnect()
    await client.connect()
  }
  // Failed commands reject their own promises.
  first.on('error', () => undefined)
  await first
    .connect()
    .then(joinCluster)
    .catch(() => undefined)
  first.on('ready', () => void joinCluster().catch(() => undefined))
  return {
    eval: (script, keys, ...parameters) => client.eval(script, keys, ...parameters),
    get: (key) => client.get(key),
    disconnect: () => client.disconnect(),
  }
}
