import { createHash, timingSafeEqual } from 'node:crypto'
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { PublishQueue } from '@packs/publisher/queue'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { renderQueueMetrics, type HttpMetrics } from './metrics.ts'

/** Dependencies of the operator's pages. */
export interface OperatorPageOptions {
  readonly authenticate: ReturnType<typeof createOperatorAuthentication>
  readonly metrics: HttpMetrics
  /** Opens the queue; undefined if publishes run in process. */
  readonly openQueue: (() => Promise<PublishQueue>) | undefined
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const QUEUE_PATH = '/operator/queue'
/** Without this policy the page would load fonts from another site, which would learn about its visitors. */
const QUEUE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

/** Mounts `/metrics` and, with a queue, `/operator/queue`. Both require the operator's token, also from this machine. */
export function mountOperatorPages(
  app: FastifyInstance,
  { authenticate, metrics, openQueue }: OperatorPageOptions,
): void {
  void app.register((scope, _options, done) => {
    scope.addHook('onRequest', authenticate)
    scope.get('/metrics', async (_request, reply) => {
      const figures = await metrics.render()
      const queued = openQueue === undefined ? '' : await readQueueMetrics(openQueue)
      return reply.type(METRICS_TYPE).send(`${figures}${queued}`)
    })
    if (openQueue !== undefined) mountQueuePage(scope, openQueue)
    done()
  })
}

async function readQueueMetrics(openQueue: () => Promise<PublishQueue>): Promise<string> {
  try {
    return await renderQueueMetrics(await openQueue(), Date.now())
  } catch {
    return '# the queue cannot be reached\n'
  }
}

/** The page is mounted even while Redis is unreachable; the queue is added as soon as it can be opened. */
function mountQueuePage(scope: FastifyInstance, openQueue: () => Promise<PublishQueue>): void {
  const serverAdapter = new FastifyAdapter()
  const board = createBullBoard({ queues: [], serverAdapter })
  let shown: PublishQueue | undefined
  serverAdapter.setBasePath(QUEUE_PATH)
  void scope.register(
    async (page) => {
      page.addHook('onRequest', async (_request, reply) => {
        reply.header('content-security-policy', QUEUE_POLICY)
        try {
          const queue = await openQueue()
          if (queue !== shown) board.setQueues([new BullMQAdapter(queue.queue)])
          shown = queue
          return undefined
        } catch {
          return reply.code(503).type('text/plain; charset=utf-8').send('The queue cannot be reached.\n')
        }
      })
      await page.register(serverAdapter.registerPlugin())
    },
    { prefix: QUEUE_PATH },
  )
}

type Done = (error?: Error) => void

/**
 * Creates a hook that requires the operator's token, as bearer token or, for browsers, as password of HTTP Basic. Browsers send
 * that password automatically, so requests that change something must come from a page of this origin.
 *
 * @param origin scheme, host and port that clients use
 */
export function createOperatorAuthentication(
  token: string,
  origin: string,
): (request: FastifyRequest, reply: FastifyReply, done: Done) => void {
  const expected = digest(token)
  return (request, reply, done) => {
    reply.header('cache-control', 'no-store')
    const given = parseAuthorization(request.headers.authorization)
    if (given === undefined || !timingSafeEqual(digest(given), expected)) {
      reply
        .code(401)
        .header('www-authenticate', 'Basic realm="operator", charset="UTF-8"')
        .type('text/plain; charset=utf-8')
        .send("The operator's token is required, as bearer token or as password.\n")
      return
    }
    const isSafe = request.method === 'GET' || request.method === 'HEAD'
    if (isSafe || request.headers.origin === origin) return done()
    reply
      .code(403)
      .type('text/plain; charset=utf-8')
      .send('Changes are only accepted from pages of this origin.\n')
  }
}

function parseAuthorization(header: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(basic|bearer) +([^ ]+)$/i.exec(header ?? '') ?? []
  if (scheme.toLowerCase() !== 'basic') return value || undefined
  const text = Buffer.from(value, 'base64').toString()
  return text.slice(text.indexOf(':') + 1)
}

/** Digests have the same length, as `timingSafeEqual` requires. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
