import type {
  Catalog,
  CatalogSample,
  CatalogWatch,
  Mode,
  Quota,
  RateLimit,
  RateLimiter,
  Reader,
  VerifiedKey,
} from '@packs/catalog'
import type { KeysDocument } from '@packs/codec/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface ApiPorts {
  readonly catalog: Catalog
  readonly quota: Quota
  /** Knows mode and sequence, which may be 50 ms old, without a query. */
  readonly mode: Pick<CatalogWatch, 'current' | 'sequence'>
  /** Returns the public keys that sign packs; undefined if none are published. */
  readonly readKeys: () => Promise<KeysDocument | undefined>
  readonly now: () => Date
  readonly log: ApiLog
  /** Checks keys, here and at other endpoints of the server. */
  readonly checkKey: KeyCheck
  /** Counts uncharged requests by account, here and at other endpoints of the server. */
  readonly freeRequests: RateLimiter
  /** Reads documents and sections; the API closes it. */
  readonly reader: Reader
}

/**
 * Accepts a cached key synchronously.
 * @throws ApiError `recovery_mode`, `too_many_failed_keys`, `missing_api_key`, `invalid_api_key`
 */
export type KeyCheck = (
  request: FastifyRequest,
  key: string | undefined,
) => VerifiedKey | Promise<VerifiedKey>

/** Logs failures: ids, codes and stack frames, never a key, a query or the text of a pack. */
export interface ApiLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** The website that the documentation is part of. */
export interface ApiSite {
  /** Response headers of its pages, such as the content security policy. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether a request seems to come from an account. It is not checked. */
  hasSession(request: FastifyRequest): boolean
  /** Wraps HTML in the layout of the website, which tells about recovery. */
  write(title: string, body: string, mode: Mode, isVisitor: boolean): string | Promise<string>
  /** What the examples of the documentation name. @default no pack */
  readSample?(): Promise<CatalogSample | undefined>
  /** Sends the page for an unknown path. */
  refusePath(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

/** Limit on the uncharged requests of one account. */
export const FREE_REQUESTS: RateLimit = { limit: 60, windowMs: 60_000 }

export interface ApiOptions {
  /** Of proxies whose `X-Forwarded-*` headers are trusted, in Fastify's format. @default none */
  readonly trustProxy?: readonly string[]
  /**
   * Scheme, host and port that clients use. If set, a server on a loopback address refuses requests
   * for any other host, except names of this machine. @default every host is accepted
   */
  readonly origin?: string | null
  /** Website around the documentation. @default its own layout, and errors sent as problems */
  readonly site?: ApiSite | null
}
