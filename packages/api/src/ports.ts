import type { Catalog, Mode, Quota } from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'

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

/** The pages that the documentation stands among, where there are any. */
export interface ApiSite {
  /** What browsers are to keep to on such a page. */
  readonly headers: Readonly<Record<string, string>>
  /** Puts HTML into the frame that all pages share. */
  write(title: string, body: string): string | Promise<string>
  /** Answers a browser whose path leads nowhere. */
  refusePath(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
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
  /** Pages to stand among. @default none: the documentation has a look of its own, and every refusal is a problem */
  readonly site?: ApiSite | null
}

/** {@link ApiOptions} with nothing left open. */
export type ResolvedOptions = Required<ApiOptions>

export function resolveOptions(options: ApiOptions): ResolvedOptions {
  return {
    trustProxy: options.trustProxy ?? [],
    cacheBytes: options.cacheBytes ?? 64 * 1024 * 1024,
    failedKeys: options.failedKeys ?? 300,
    upgradeUrl: options.upgradeUrl ?? '/docs#tiers',
    site: options.site ?? null,
  }
}
