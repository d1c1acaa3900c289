import { openCatalog, watchCatalog, type Catalog, type CatalogWatch, type Quota } from '@packs/catalog'
import type { PublishQueue } from '@packs/publisher/queue'
import type { Logger } from 'pino'
import type { ServiceUrls } from '../services/open-services.ts'
import { createHttpMetrics, type HttpMetrics } from './metrics.ts'
import { openQuota } from './open-quota.ts'
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
    const queue = redisUrl === undefined ? undefined : createLazyQueue(redisUrl)
    const readiness = watchReadiness(catalog, mode)
    return {
      catalog,
      mode,
      quota: quotaConnection.quota,
      metrics,
      readiness,
      queue: queue && watchQueue(() => queue.open(), Date.now),
      async close() {
        mode.stop()
        readiness.stop()
        await queue?.close()
        await quotaConnection.close()
        await catalog.close()
      },
    }
  } catch (error) {
    await catalog.close()
    throw error
  }
}

/** Opens the queue on first use, and tries again after a failure. */
function createLazyQueue(redisUrl: string): { open(): Promise<PublishQueue>; close(): Promise<void> } {
  let opened: Promise<PublishQueue> | undefined
  return {
    open() {
      opened ??= open()
      return opened
    },
    async close() {
      const queue = await opened?.catch(() => undefined)
      await queue?.close()
    },
  }

  async function open(): Promise<PublishQueue> {
    const { openQueue } = await import('@packs/publisher/queue')
    try {
      return await openQueue(redisUrl)
    } catch (error) {
      opened = undefined
      throw error
    }
  }
}
