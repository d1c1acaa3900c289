import { createHash, timingSafeEqual } from 'node:crypto'
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { PublishQueue } from '@packs/publisher/queue'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { renderQueueMetrics, type HttpMetrics } from './metrics.ts'

/** What the operator's pages show. */
export interface OperatorPageOptions {
  readonly authenticate: ReturnType<typeof createOperatorAuthentication>
  readonly metrics: HttpMetrics
  /** Opens the queue; absent where publishes run in process. */
  readonly openQueue: (() => Promise<PublishQueue>) | undefined
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const QUEUE_PATH = '/operator/queue'
/** The page would load fonts from elsewhere, and tell there who looks at it. */
const QUEUE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

/** Mounts `/metrics` and, with a queue, `/operator/queue`: for the operator alone, from this machine too. */
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

/** The page is there before Redis is: queues are added once they can be opened. */
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
 * Creates a hook that lets only the operator through: the token as bearer, or as password of HTTP Basic for browsers. These send
 * the password by themselves, so whatever changes something must come from a page of this origin.
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
        .send("The operator's token is needed, as bearer or as the password.\n")
      return
    }
    const isSafe = request.method === 'GET' || request.method === 'HEAD'
    if (isSafe || request.headers.origin === origin) return done()
    reply
      .code(403)
      .type('text/plain; charset=utf-8')
      .send('Changes are made from pages of this origin alone.\n')
  }
}

function parseAuthorization(header: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(basic|bearer) +([^ ]+)$/i.exec(header ?? '') ?? []
  if (scheme.toLowerCase() !== 'basic') return value || undefined
  const text = Buffer.from(value, 'base64').toString()
  return text.slice(text.indexOf(':') + 1)
}

/** Digests are of one length, whatever was given. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
