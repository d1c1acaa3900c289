import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { FastifyAdapter } from '@bull-board/fastify'
import type { PublishQueue } from '@packs/publisher/queue'
import type { FastifyInstance } from 'fastify'
import { renderQueueMetrics } from './render-queue-metrics.ts'
import type { HttpMetrics } from './create-http-metrics.ts'
import type { guardOperator } from './guard-operator.ts'

/** What the operator's pages show. */
export interface OperatorParts {
  readonly guard: ReturnType<typeof guardOperator>
  readonly metrics: HttpMetrics
  /** Opens the queue; absent where publishes run in process. */
  readonly queue: (() => Promise<PublishQueue>) | undefined
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const QUEUE_PATH = '/operator/queue'
/** The page would load fonts from elsewhere, and tell there who looks at it. */
const QUEUE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

/** Mounts `/metrics` and, with a queue, `/operator/queue`: for the operator alone, from this machine too. */
export function mountOperatorPages(app: FastifyInstance, { guard, metrics, queue }: OperatorParts): void {
  void app.register((scope, _options, done) => {
    scope.addHook('onRequest', guard)
    scope.get('/metrics', async (_request, reply) => {
      const figures = await metrics.render()
      const queued = queue === undefined ? '' : await describeQueue(queue)
      return reply.type(METRICS_TYPE).send(`${figures}${queued}`)
    })
    if (queue !== undefined) mountQueuePage(scope, queue)
    done()
  })
}

async function describeQueue(open: () => Promise<PublishQueue>): Promise<string> {
  try {
    return await renderQueueMetrics(await open(), Date.now())
  } catch {
    return '# the queue cannot be reached\n'
  }
}

/** The page is there before Redis is: queues are added once they can be opened. */
function mountQueuePage(scope: FastifyInstance, open: () => Promise<PublishQueue>): void {
  const serverAdapter = new FastifyAdapter()
  const board = createBullBoard({ queues: [], serverAdapter })
  let shown: PublishQueue | undefined
  serverAdapter.setBasePath(QUEUE_PATH)
  void scope.register(
    async (page) => {
      page.addHook('onRequest', async (_request, reply) => {
        reply.header('content-security-policy', QUEUE_POLICY)
        try {
          const queue = await open()
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
