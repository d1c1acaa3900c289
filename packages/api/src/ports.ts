import type { Catalog, Mode, Quota, RateLimit, RateLimiter, Reader, VerifiedKey } from '@packs/catalog'
import type { KeysDocument } from '@packs/codec/signatures'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Dependencies supplied by the caller. */
export interface ApiPorts {
  readonly catalog: Catalog
  /** Counts the requests of accounts. */
  readonly quota: Quota
  /** Operating mode, without a database query. */
  readonly mode: { current(): Mode }
  /** Throws while the database does not answer, without a query. @default never throws */
  readonly checkDatabase?: () => void
  /** Returns the public keys that sign packs; undefined if none are published. @default none */
  readonly readKeys?: () => Promise<KeysDocument | undefined>
  /** @default the system's clock */
  readonly now?: () => Date
  readonly log: ApiLog
  /** Checks keys, if other endpoints of the server do so too. @default one of its own */
  readonly checkKey?: KeyCheck
  /** Counts requests by account that are not charged, if other endpoints of the server do so too. @default one of its own */
  readonly freeRequests?: RateLimiter
  /** Reads documents and sections; the API closes it. @default one of its own */
  readonly reader?: Reader
}

/**
 * Returns who sends a request. A cached key is accepted synchronously.
 *
 * @throws ApiError `recovery_mode`, `too_many_failed_keys`, `missing_api_key` or `invalid_api_key`
 * @param key `undefined` if the request has none
 */
export type KeyCheck = (
  request: FastifyRequest,
  key: string | undefined,
) => VerifiedKey | Promise<VerifiedKey>

/** Receives failures: ids, codes and stack frames, never a key, a query or the text of a pack. */
export interface ApiLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** The website that the documentation is part of. */
export interface ApiSite {
  /** Response headers of its pages, such as the content security policy. */
  readonly headers: Readonly<Record<string, string>>
  /** Wraps HTML in the layout of the website. */
  write(title: string, body: string): string | Promise<string>
  /** Sends the page for an unknown path. */
  refusePath(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

/** Invalid keys a minute that one address may send. */
export const FAILED_KEYS = 300

/** Requests of one account that are not charged. */
export const FREE_REQUESTS: RateLimit = { limit: 60, windowMs: 60_000 }

export interface ApiOptions {
  /** Addresses of proxies whose `X-Forwarded-*` headers are trusted, in Fastify's format. @default none */
  readonly trustProxy?: readonly string[]
  /**
   * Scheme, host and port that clients use. With it, a server on a loopback address refuses requests for another host than this one and
   * this machine. @default every host is answered
   */
  readonly origin?: string | null
  /** Bytes of the response cache. @default 64 MiB */
  readonly cacheBytes?: number
  /** Invalid keys a minute that one address may send. @default 300 */
  readonly failedKeys?: number
  /** Path or URL of the page that explains how to upgrade to Pro. @default `/docs#tiers` */
  readonly upgradeUrl?: string
  /** Website around the documentation. @default none: the documentation has its own layout, and every error is a problem */
  readonly site?: ApiSite | null
}

/** {@link ApiOptions} with all defaults. */
export type ResolvedOptions = Required<ApiOptions>

export function resolveOptions(options: ApiOptions): ResolvedOptions {
  return {
    trustProxy: options.trustProxy ?? [],
    origin: options.origin ?? null,
    cacheBytes: options.cacheBytes ?? 64 * 1024 * 1024,
    failedKeys: options.failedKeys ?? FAILED_KEYS,
    upgradeUrl: options.upgradeUrl ?? '/docs#tiers',
    site: options.site ?? null,
  }
}
