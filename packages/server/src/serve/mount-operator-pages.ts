import { createHash, timingSafeEqual } from 'node:crypto'
import { clientNetwork, createRateLimiter } from '@packs/catalog'
import type { PublishQueue } from '@packs/publisher'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { QueueWatch } from './metrics.ts'

export interface OperatorPageOptions {
  readonly authenticate: ReturnType<typeof createOperatorAuthentication>
  /** Writes all metrics in the text format of Prometheus. */
  readonly render: () => Promise<string>
  /** The queue to show; none if publishes run in process. */
  readonly queue?: QueueWatch | undefined
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'
const MAX_WRONG_TOKENS = 10
const QUEUE_PATH = '/operator/queue'
const QUEUE_OPTIONS = { readOnlyMode: true, description: 'Run failed jobs again with `pack jobs retry`' }
/** Without this policy the page would load fonts from another site and so reveal its visitors. */
const QUEUE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

/** Mounts `/metrics` and, with a queue, `/operator/queue`. Even local requests need the token. */
export function mountOperatorPages(
  app: FastifyInstance,
  { authenticate, render, queue }: OperatorPageOptions,
): void {
  void app.register((scope, _options, done) => {
    scope.addHook('onRequest', authenticate)
    scope.get('/metrics', async (_request, reply) => reply.type(METRICS_TYPE).send(await render()))
    if (queue !== undefined) mountQueuePage(scope, queue)
    done()
  })
}

/** The queue is added as soon as Redis responds. Only a server with a queue loads these modules. */
function mountQueuePage(scope: FastifyInstance, watch: QueueWatch): void {
  void scope.register(
    async (page) => {
      const [{ createBullBoard }, { BullMQAdapter }, { FastifyAdapter }] = await Promise.all([
        import('@bull-board/api'),
        import('@bull-board/api/bullMQAdapter'),
        import('@bull-board/fastify'),
      ])
      const serverAdapter = new FastifyAdapter()
      const board = createBullBoard({ queues: [], serverAdapter })
      serverAdapter.setBasePath(QUEUE_PATH)
      let shown: PublishQueue | undefined
      page.addHook('onRequest', async (_request, reply) => {
        reply.header('content-security-policy', QUEUE_POLICY)
        const queue = await watch.find()
        if (queue === undefined) {
          reply.code(503).header('retry-after', '5').type(TEXT_TYPE)
          return reply.send('The queue cannot be reached. Try again in a few seconds.\n')
        }
        if (queue !== shown) board.setQueues([new BullMQAdapter(queue.queue, QUEUE_OPTIONS)])
        shown = queue
        return undefined
      })
      await page.register(serverAdapter.registerPlugin())
    },
    { prefix: QUEUE_PATH },
  )
}

type Done = (error?: Error) => void

/**
 * Requires the operator's token, as a bearer token or, for browsers, as the HTTP Basic password.
 * Nothing can be changed: the audit log would not have it, and browsers send the password for pages
 * of any origin. After ten wrong tokens in a minute a network gets 429 for further ones until the
 * minute ends. The right token always passes, because others may share the network.
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
    if (request.method === 'GET' || request.method === 'HEAD') return done()
    refuse(405, 'These pages change nothing. Use the commands of `pack`.\n')
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
