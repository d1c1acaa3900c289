import type { ModeWatch } from '@packs/catalog'
import { measureQueue, type PublishQueue } from '@packs/publisher/queue'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The metrics of one server process. */
export interface HttpMetrics {
  /** Counts and times every response of the server from now on. */
  instrument(app: FastifyInstance): void
  /** Counts a request whose quota was checked without the quota store. */
  countFallback(): void
  /** Renders all metrics in the text format of Prometheus. */
  render(): Promise<string>
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Creates the metrics of a server: responses by route, method and status, their duration, the mode, and those of Node. */
export function createHttpMetrics(mode: ModeWatch): HttpMetrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const responses = new Counter({
    name: 'packs_http_requests_total',
    help: 'Responses by route, method and status',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'packs_http_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its response',
    labelNames: ['route'],
    buckets: BUCKETS,
    registers,
  })
  const fallbacks = new Counter({
    name: 'packs_quota_fallback_total',
    help: 'Requests whose quota was checked without the quota store',
    registers,
  })
  new Gauge({
    name: 'packs_recovery_mode',
    help: '1 in recovery mode, else 0',
    registers,
    collect() {
      this.set(mode.current().mode === 'recovery' ? 1 : 0)
    },
  })
  return {
    instrument: (app) => measureResponses(app, responses, durations),
    countFallback: () => fallbacks.inc(),
    render: () => registry.metrics(),
  }
}

function measureResponses(
  app: FastifyInstance,
  responses: Counter<'route' | 'method' | 'status'>,
  durations: Histogram<'route'>,
): void {
  // Finding a series by its labels costs more than counting, so series are cached.
  const counters = new Map<string, { inc(): void }>()
  const timers = new Map<string, { observe(seconds: number): void }>()
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none')
    const { method } = request
    const status = String(reply.statusCode)
    const name = `${route} ${method} ${status}`
    let counter = counters.get(name)
    if (counter === undefined) counters.set(name, (counter = responses.labels({ route, method, status })))
    let timer = timers.get(route)
    if (timer === undefined) timers.set(route, (timer = durations.labels({ route })))
    counter.inc()
    timer.observe(reply.elapsedTime / 1000)
    done()
  })
}

/**
 * Renders the metrics of the publish queue in the text format of Prometheus.
 *
 * @param now milliseconds since 1970
 * @throws PublishError if Redis cannot be reached
 * @example
 * response.type('text/plain; version=0.0.4').send(await renderQueueMetrics(queue, Date.now()))
 */
export async function renderQueueMetrics(queue: PublishQueue, now: number): Promise<string> {
  const { jobs, workers, oldestWait } = await measureQueue(queue, now)
  const registry = new Registry()
  const registers = [registry]
  const states = new Gauge({
    name: 'packs_queue_jobs',
    help: 'Publish jobs in the queue by state',
    labelNames: ['state'],
    registers,
  })
  for (const [state, count] of Object.entries(jobs)) states.set({ state }, count)
  new Gauge({ name: 'packs_queue_workers', help: 'Workers of the publish queue', registers }).set(workers)
  new Gauge({
    name: 'packs_queue_oldest_wait_seconds',
    help: 'Seconds that the next publish job has been waiting',
    registers,
  }).set(oldestWait / 1000)
  return registry.metrics()
}
