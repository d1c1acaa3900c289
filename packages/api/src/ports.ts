import type { Catalog, Mode, Quota } from '@packs/catalog'

/** What the API stands on; all of it is made by who composes the program. */
export interface ApiPorts {
  readonly catalog: Catalog
  /** Counts what accounts ask for. */
  readonly quota: Quota
  /** Operating mode, known without asking the database. */
  readonly mode: { current(): Mode }
  /** @default the system's clock */
  readonly now?: () => Date
  readonly log: ApiLog
}

/** Hears of failures: ids, codes and frames, never a key, a query or the text of a pack. */
export interface ApiLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

export interface ApiOptions {
  /** Addresses of proxies whose `X-Forwarded-*` counts, as Fastify reads them. @default none */
  readonly trustProxy?: readonly string[]
  /** Bytes that ready bodies may take in memory. @default 64 MiB */
  readonly cacheBytes?: number
  /** Failed keys a minute that one address may send. @default 300 */
  readonly failedKeys?: number
  /** Where a Free caller finds how to become Pro: a path or an address. @default `/docs#tiers` */
  readonly upgradeUrl?: string
  /** Path of a stylesheet that the pages of the documentation are to have. @default a small one of their own */
  readonly stylesheet?: string | null
}

/** {@link ApiOptions} with nothing left open. */
export type ResolvedOptions = Required<ApiOptions>

export function resolveOptions(options: ApiOptions): ResolvedOptions {
  return {
    trustProxy: options.trustProxy ?? [],
    cacheBytes: options.cacheBytes ?? 64 * 1024 * 1024,
    failedKeys: options.failedKeys ?? 300,
    upgradeUrl: options.upgradeUrl ?? '/docs#tiers',
    stylesheet: options.stylesheet ?? null,
  }
}
