import { createHash, timingSafeEqual } from 'node:crypto'
import { clientNetwork, createRateLimiter } from '@packs/catalog'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

export interface OperatorPageOptions {
  readonly authenticate: ReturnType<typeof createOperatorAuthentication>
  /** Writes all metrics in the text format of Prometheus. */
  readonly render: () => Promise<string>
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'
const MAX_WRONG_TOKENS = 10

/** Mounts `/metrics`. Even local requests need the token. */
export function mountOperatorPages(
  app: FastifyInstance,
  { authenticate, render }: OperatorPageOptions,
): void {
  void app.register((scope, _options, done) => {
    scope.addHook('onRequest', authenticate)
    scope.get('/metrics', async (_request, reply) => reply.type(METRICS_TYPE).send(await render()))
    done()
  })
}

type Done = (error?: Error) => void

/**
 * Requires the operator's token, as a bearer token or, for browsers, as the HTTP Basic password.
 * After ten wrong tokens in a minute a network gets 429 for further ones until the minute ends. The
 * right token always passes, because others may share the network.
 */
export function createOperatorAuthentication(
  token: string,
  log: Pick<Logger, 'warn'>,
): (request: FastifyRequest, reply: FastifyReply, done: Done) => void {
  const now = (): Date => new Date()
  const expected = digest(token)
  const limiter = createRateLimiter({ limit: MAX_WRONG_TOKENS, windowMs: 60_000 })
  return (request, reply, done) => {
    reply.header('cache-control', 'no-store')
    const refuse = (status: number, text: string): void => void reply.code(status).type(TEXT_TYPE).send(text)
    const network = clientNetwork(request.ip)
    const given = parseAuthorization(request.headers.authorization)
    if (given === undefined || !timingSafeEqual(digest(given), expected)) {
      // Browsers first send a request without a token.
      const wait = given === undefined ? 0 : limiter.take(network, now())
      if (wait > 0) {
        reply.header('retry-after', wait)
        return refuse(429, `Too many wrong tokens. Try again in ${wait} seconds.\n`)
      }
      if (given !== undefined)
        log.warn({ request_id: request.id, network }, 'a wrong operator token was sent')
      reply.header('www-authenticate', 'Basic realm="operator", charset="UTF-8"')
      return refuse(401, "The operator's token is required, as a bearer token or as a password.\n")
    }
    done()
  }
}

function parseAuthorization(header: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(basic|bearer) +([^ ]+)$/i.exec(header ?? '') ?? []
  if (scheme.toLowerCase() !== 'basic') return value || undefined
  const text = Buffer.from(value, 'base64').toString()
  return text.slice(text.indexOf(':') + 1)
}

/** Digests have equal lengths, as `timingSafeEqual` requires. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
