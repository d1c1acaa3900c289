import { readFileSync } from 'node:fs'
import { ApiError, describeThrown, tooManyRequestsError, type ApiLog, type KeyCheck } from '@packs/api'
import type { Account, Quota, RateLimiter, SectionReader } from '@packs/catalog'
import { createPackHandler, type PackHandler } from '@packs/mcp'
import { SourceError } from '@packs/client/tools'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createCatalogSource, type CatalogReaders } from './catalog-source.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string
}

/**
 * Maximum bytes of a request. The longest call takes half of that. The SDK checks each member of a
 * body, even in requests that are not counted.
 */
const MAX_BODY_BYTES = 16 * 1024

/** Authentication schemes, for `WWW-Authenticate`. */
const CHALLENGE = { 'www-authenticate': 'Bearer realm="packs", ApiKey' }

export interface McpDependencies extends Omit<CatalogReaders, 'onDamage' | 'owner'> {
  readonly sections: SectionReader
  /** Scheme, host and port that clients use. */
  readonly origin: string
  readonly checkKey: KeyCheck
  readonly quota: Quota
  /** Counts uncharged requests by account. */
  readonly freeRequests: RateLimiter
  readonly log: ApiLog
  readonly now: () => Date
}

/**
 * Adds `/mcp`: the Model Context Protocol over Streamable HTTP, without sessions. Keys, tiers and
 * quotas are those of the API. A tool call is charged as one request; everything
 * else is free, but lists and refused sections are limited by account. Errors in the request itself
 * are sent as problems, as in the API; errors in a call are reported to the model.
 */
export function mountMcp(app: FastifyInstance, dependencies: McpDependencies): void {
  const authenticate = createAuthentication(dependencies)
  const handler = createPackHandler()
  app.addHook('preClose', () => handler.close())
  void app.register((scope, _options, done) => {
    // The SDK parses the body, so that its errors are those of the protocol.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
      (_request, body, parsed) => parsed(null, body),
    )
    scope.setErrorHandler((error, _request, reply) => {
      if ((error as { readonly code?: unknown }).code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
      return reply.code(413).headers({ 'cache-control': 'no-store', connection: 'close' }).send(TOO_LARGE)
    })
    scope.post('/mcp', {
      onRequest: authenticate,
      handler: (request, reply) => answerRequest(handler, dependencies, request, reply),
    })
    done()
  })
}

const TOO_LARGE = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: `A request may have at most ${MAX_BODY_BYTES} bytes` },
}

function createAuthentication({
  origin,
  checkKey,
}: McpDependencies): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const own = new URL(origin).origin
  return async (request) => {
    // A page on another site must not reach a server in its visitor's network.
    if (request.headers.origin !== undefined && request.headers.origin !== own)
      throw new ApiError('foreign_origin', 'The header Origin names another site')
    try {
      request.caller = await checkKey(request, readKey(request))
    } catch (error) {
      throw addChallenge(error)
    }
  }
}

/** Reads the key from either header; `x-api-key` wins if both are present. */
function readKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['x-api-key']
  if (typeof key === 'string' && key !== '') return key
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

function addChallenge(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const { code, message } = error
  if (code === 'invalid_api_key') return new ApiError(code, message, { headers: CHALLENGE })
  if (code !== 'missing_api_key') return error
  const detail = 'Send an API key as "Authorization: Bearer KEY", or in the header x-api-key'
  return new ApiError(code, detail, { headers: CHALLENGE })
}

async function answerRequest(
  handler: PackHandler,
  dependencies: McpDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { quota, freeRequests, log, now } = dependencies
  const { account } = request.caller!
  const closed = new AbortController()
  reply.raw.once('close', () => closed.abort())
  const fields = { request_id: request.id, route: '/mcp' }
  const readers = {
    ...dependencies,
    sections: dependencies.sections.for(account.id),
    owner: account.id,
    onDamage: ({ message, damaged }: Parameters<CatalogReaders['onDamage']>[0]) => {
      const pack = damaged && `${damaged.slug}@${damaged.version ?? '?'}`
      log.error({ ...fields, code: 'damaged_pack', pack, damage: message }, 'a pack is damaged')
    },
  }
  const response = await handler.answer(createRequest(dependencies.origin, request, closed.signal), {
    source: createCatalogSource(readers, account.tier === 'pro' ? 'full' : 'preview'),
    version,
    charge: () => chargeRequest(quota, account, now()),
    takeFree() {
      const wait = freeRequests.take(account.id, now())
      const hint = `Wait ${wait} seconds, or answer with what you have.`
      if (wait > 0) throw Object.assign(tooManyRequestsError(wait), { hint })
    },
    onError(error) {
      if (!closed.signal.aborted) log.error({ ...fields, ...describeThrown(error) }, 'a request failed')
    },
  })
  reply.header('cache-control', 'no-store')
  // The server decides about its connections; the SDK keeps those of streams alive.
  response.headers.delete('connection')
  return reply.send(response)
}

/** Passes on only the headers that the protocol defines, not the key. */
function createRequest(origin: string, { headers, body }: FastifyRequest, signal: AbortSignal): Request {
  const names = Object.keys(headers).filter((name) => /^(?:accept|content-type|mcp-[\w-]+)$/.test(name))
  const passed = names.map((name): [string, string] => [name, String(headers[name])])
  return new Request(new URL('/mcp', origin), {
    method: 'POST',
    headers: passed,
    body: (body as Uint8Array<ArrayBuffer> | undefined) ?? null,
    signal,
  })
}

/** @throws SourceError `quota_exceeded` */
async function chargeRequest(quota: Quota, account: Account, date: Date): Promise<void> {
  const { allowed, limit, resetAt, isFallback } = await quota.take(account, date)
  if (allowed) return
  const message = isFallback
    ? 'Requests cannot be counted at the moment, and the part of the daily quota available meanwhile is used up.'
    : `All ${limit} requests of this UTC day are used up.`
  const hint = isFallback ? 'Try again in 30 seconds.' : `The quota resets at ${resetAt.toISOString()}.`
  throw new SourceError('quota_exceeded', message, `${hint} Answer with what you have.`)
}
