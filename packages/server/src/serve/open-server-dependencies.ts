import { openCatalog, watchCatalog, createQuota, createFallbackQuota, createRedisQuota } from '@packs/catalog'
import type { Catalog, CatalogWatch, Quota } from '@packs/catalog'
import type { PublishError } from '@packs/publisher'
import type { Logger } from 'pino'
import type { ServiceUrls } from '../services/open-services.ts'
import { createHttpMetrics, createMeasurement, watchReadiness } from './metrics.ts'
import type { HttpMetrics, QueueWatch, ReadinessWatch } from './metrics.ts'
import { deriveSecrets } from './read-secrets.ts'

export interface ServerDependencies {
  readonly catalog: Catalog
  readonly mode: CatalogWatch
  readonly quota: Quota
  readonly metrics: HttpMetrics
  readonly readiness: ReadinessWatch
  /** Opens the queue on first use; undefined if publishes run in process. */
  readonly queue: QueueWatch | undefined
  close(): Promise<void>
}

/** A list takes milliseconds. A statement that takes this long keeps others waiting. */
const STATEMENT_MS = 10_000

/** The catalog must be reachable; Redis need not be. */
export async function openServerDependencies(
  { databaseUrl, redisUrl }: ServiceUrls,
  secret: string,
  log: Logger,
  memory?: number,
): Promise<ServerDependencies> {
  const opened = await openCatalog({
    url: databaseUrl,
    statementTimeout: STATEMENT_MS,
    ...(memory !== undefined && { memory }),
  })
  const catalog = { ...opened, settings: deriveSecrets(opened.settings, secret) }
  try {
    const mode = await watchCatalog(catalog)
    const metrics = createHttpMetrics(catalog, mode)
    const quotaConnection = await openQuota(catalog, redisUrl, log, () => metrics.countFallback())
    const queue =
      redisUrl === undefined ? undefined : connectLazily(async () => (await loadQueue()).openQueue(redisUrl))
    const readiness = watchReadiness(catalog, mode)
    return {
      catalog,
      mode,
      quota: quotaConnection.quota,
      metrics,
      readiness,
      queue: queue && createMeasurement(async () => (await queue.use()).measure(Date.now())),
      async close() {
        mode.stop()
        readiness.stop()
        await queue?.close((opened) => opened.close())
        await quotaConnection.close()
        await catalog.close()
      },
    }
  } catch (error) {
    await catalog.close()
    throw error
  }
}

const REJECTED = /\b(?:WRONGPASS|NOAUTH|NOPERM)\b/

/**
 * The quota is in Redis if several servers share one, else in the catalog. A server starts even
 * while the store is unreachable, and grants a tenth of each quota until it is back.
 */
export async function openQuota(
  catalog: Catalog,
  redisUrl: string | undefined,
  log: Logger,
  countFallback: () => void,
): Promise<{ readonly quota: Quota; close(): Promise<void> }> {
  const redis =
    redisUrl === undefined
      ? undefined
      : connectLazily(async () => (await loadQueue()).connectRedis(redisUrl, 'quota'))
  await redis?.use().catch((error: PublishError) => {
    // A server starts without Redis, but not with settings that Redis rejects.
    if (error.code !== 'queue_unavailable' || REJECTED.test(error.message)) throw error
    log.error({ code: error.code, reason: error.message }, 'Redis cannot be reached at the start')
  })
  const quota = createFallbackQuota(
    redis === undefined
      ? createQuota(catalog.quota)
      : createRedisQuota({ eval: async (...command) => (await redis.use()).eval(...command) }),
    {
      onFallback({ kind }) {
        if (kind === 'unreachable')
          log.error({}, 'the quota store is unreachable; only a tenth of each quota is granted')
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

interface LazyConnection<T> {
  /** Returns the open connection. After a failure, the next call tries again. */
  use(): Promise<T>
  close(end: (connection: T) => unknown): Promise<void>
}

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

async function loadQueue() {
  return (await import('@packs/publisher')).loadQueue()
}
