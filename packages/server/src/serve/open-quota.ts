import {
  createCatalogQuota,
  createFallbackQuota,
  createRedisQuota,
  type Catalog,
  type Quota,
} from '@packs/catalog'
import type { RedisConnection } from '@packs/publisher/queue'
import type { Logger } from 'pino'

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
  const redis = redisUrl === undefined ? undefined : connectLazily(() => connectQuota(redisUrl))
  await redis?.use().catch(() => undefined)
  const quota = createFallbackQuota(
    redis === undefined
      ? createCatalogQuota(catalog)
      : createRedisQuota({
          eval: async (...command) => (await redis.use()).eval(...command),
          get: async (key) => (await redis.use()).get(key),
        }),
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
      await redis?.close((connection) => connection.disconnect())
    },
  }
}

async function connectQuota(redisUrl: string): Promise<RedisConnection> {
  const { connectRedis } = await import('@packs/publisher/queue')
  return connectRedis(redisUrl, 'quota')
}

/** A connection that is opened on first use. */
export interface LazyConnection<T> {
  /** Returns the open connection; after a failure it is tried again. */
  use(): Promise<T>
  close(end: (connection: T) => unknown): Promise<void>
}

/** Creates a connection that is opened on first use. */
export function connectLazily<T>(connect: () => Promise<T>): LazyConnection<T> {
  let opened: Promise<T> | undefined
  return {
    use() {
      opened ??= connect().catch((error: unknown) => {
        opened = undefined
        throw error
      })
      return opened
    },
    async close(end) {
      const connection = await opened?.catch(() => undefined)
      if (connection !== undefined) await end(connection)
    },
  }
}
