import { openCatalog, watchCatalog, type Catalog, type CatalogWatch, type Quota } from '@packs/catalog'
import type { PublishQueue } from '@packs/publisher/queue'
import type { Logger } from 'pino'
import type { ServiceUrls } from '../services/open-services.ts'
import { createHttpMetrics, type HttpMetrics } from './metrics.ts'
import { connectLazily, openQuota } from './open-quota.ts'
import { overrideSecrets, type SecretOverrides } from './read-secrets.ts'
import { watchQueue, type QueueWatch } from './watch-queue.ts'
import { watchReadiness, type ReadinessWatch } from './watch-readiness.ts'

/** The connections and state that a server needs. */
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

/** A list takes milliseconds. A statement that takes this long keeps a connection from others. */
const STATEMENT_MS = 10_000

/** Opens the dependencies of a server. The catalog must be reachable, Redis need not be. @throws CatalogError */
export async function openServerDependencies(
  { databaseUrl, redisUrl }: ServiceUrls,
  secrets: SecretOverrides,
  log: Logger,
): Promise<ServerDependencies> {
  const opened = await openCatalog({
    url: databaseUrl,
    statementTimeout: STATEMENT_MS,
    onMigration: (progress) => log.info(progress, 'migrating the database'),
  })
  const catalog = { ...opened, settings: overrideSecrets(opened.settings, secrets) }
  try {
    const mode = await watchCatalog(catalog)
    const metrics = createHttpMetrics(mode)
    const quotaConnection = await openQuota(catalog, redisUrl, log, () => metrics.countFallback())
    const queue = redisUrl === undefined ? undefined : connectLazily(() => openQueue(redisUrl))
    const readiness = watchReadiness(catalog, mode)
    return {
      catalog,
      mode,
      quota: quotaConnection.quota,
      metrics,
      readiness,
      queue: queue && watchQueue(() => queue.use(), Date.now),
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

async function openQueue(redisUrl: string): Promise<PublishQueue> {
  const publisher = await import('@packs/publisher/queue')
  return publisher.openQueue(redisUrl)
}
