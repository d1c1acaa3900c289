import { type CatalogWatch, withTimeLimit, type Catalog } from '@packs/catalog'
import type { QueueFigures } from '@packs/publisher'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { VERSION } from '../services/service-process.ts'

export interface HttpMetrics {
  readonly registry: Registry
  /** Counts and times every response of the server from now on. */
  instrument(app: FastifyInstance): void
  /** Counts a request whose quota was checked without the quota store. */
  countFallback(): void
  render(): Promise<string>
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Creates the registry of a process: what Node measures, and which build runs. */
export function createRegistry(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'packs_build_info',
    help: '1, with the version of Packs and of Node.js',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: VERSION, node: process.versions.node }, 1)
  return registry
}

export function createHttpMetrics(catalog: Catalog, mode: CatalogWatch): HttpMetrics {
  const registry = createRegistry()
  const registers = [registry]
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
  const problems = new Counter({
    name: 'packs_http_problems_total',
    help: 'Responses with an error, by route, status and code',
    labelNames: ['route', 'status', 'code'],
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
  const countRows = (name: string, help: string, count: () => Promise<number>): void => {
    const measure = createMeasurement(async () => catalog.results.obtain(name, await mode.sequence(), count))
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const rows = mode.silence() < MAX_SILENCE ? await measure() : undefined
        if (rows !== undefined) this.set(rows)
      },
    })
  }
  countRows('packs_catalog_packs', 'Packs that are listed', () => catalog.inventory.countPacks())
  countRows('packs_catalog_versions', 'Versions, also those that are yanked', () =>
    catalog.inventory.countVersions(0),
  )
  return {
    registry,
    instrument: (app) => measureResponses(app, responses, durations, problems),
    countFallback: () => fallbacks.inc(),
    render: () => registry.metrics(),
  }
}

function measureResponses(
  app: FastifyInstance,
  responses: Counter<'route' | 'method' | 'status'>,
  durations: Histogram<'route'>,
  problems: Counter<'route' | 'status' | 'code'>,
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
    if (reply.statusCode >= 400) problems.inc({ route, status, code: request.problem ?? 'none' })
    done()
  })
}

/** Renders whether dependencies respond, and the metrics of the queue if Redis does. */
export async function renderDependencyMetrics(
  failing: readonly ReadinessCheck[],
  queue: QueueWatch | undefined,
): Promise<string> {
  const registry = new Registry()
  const up = new Gauge({
    name: 'packs_dependency_up',
    help: '1 while a dependency responds in time, else 0',
    labelNames: ['dependency'],
    registers: [registry],
  })
  up.set({ dependency: 'database' }, failing.includes('database') ? 0 : 1)
  up.set({ dependency: 'connections' }, failing.includes('connections') ? 0 : 1)
  if (queue === undefined) return registry.metrics()
  const figures = await queue()
  up.set({ dependency: 'redis' }, figures === undefined ? 0 : 1)
  if (figures !== undefined) addQueueMetrics(registry, figures)
  return registry.metrics()
}

function addQueueMetrics(registry: Registry, { jobs, workers, oldestWait }: QueueFigures): void {
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
}

/** Measures the publish queue; `undefined` if that takes more than a second or fails. */
export type QueueWatch = () => Promise<QueueFigures | undefined>

const MAX_MEASURE_MS = 1000

/** Runs one measurement at a time for all callers; undefined if it fails or takes a second. */
export function createMeasurement<T>(measure: () => Promise<T>): () => Promise<T | undefined> {
  let running: Promise<T | undefined> | undefined
  return () => {
    running ??= measure()
      .catch(() => undefined)
      .finally(() => (running = undefined))
    return withTimeLimit(running, MAX_MEASURE_MS, () => undefined)
  }
}

/** What a server needs to answer requests; a worker needs Redis, too. */
export type ReadinessCheck = 'database' | 'connections' | 'redis'

/** Whether a program can do its work. The state is in memory, so checking it costs nothing. */
export interface ReadinessWatch {
  /** Returns the checks that currently fail; none if it is ready. */
  failing(): readonly ReadinessCheck[]
  stop(): void
}

const MAX_SILENCE = 2000
const MAX_WAIT = 1000

/**
 * Asks the connection pool for a connection again and again; the catalog watch checks the database.
 * Time is counted in steps between two checks, so time in which this process did not run does not
 * count.
 */
export function watchReadiness(
  catalog: Pick<Catalog, 'waitForConnection'>,
  watch: Pick<CatalogWatch, 'silence'>,
  everyMs = 250,
): ReadinessWatch {
  const connections = createWait(() => catalog.waitForConnection())
  const timer = setInterval(() => connections.pass(everyMs), everyMs).unref()
  return {
    failing: () => [
      ...(watch.silence() >= MAX_SILENCE ? (['database'] as const) : []),
      ...(connections.ms() >= MAX_WAIT ? (['connections'] as const) : []),
    ],
    stop: () => clearInterval(timer),
  }
}

interface Measure {
  /** Lets time pass, and asks again unless a request is pending. */
  pass(milliseconds: number): void
  ms(): number
}

/** Measures the last or the pending request, whichever is longer. A failure ends one too. */
export function createWait(ask: () => Promise<unknown>): Measure {
  let last = 0
  let present = 0
  let isAsking = false
  const settle = (): void => {
    last = present
    isAsking = false
  }
  return {
    pass(milliseconds) {
      if (isAsking) return void (present += milliseconds)
      present = 0
      isAsking = true
      ask().then(settle, settle)
    },
    ms: () => Math.max(last, present),
  }
}
