import { extname } from 'node:path'
import { type Catalog, describeThrown, openCatalog, withTimeLimit } from '@packs/catalog'
import { Child, type Job, Worker } from 'bullmq'
import { PublishError } from '../publish-error.ts'
import { createFailedResult, hasCode, parseFailure, recordResult } from '../steps/job-result.ts'
import { connectRedis, explainQueueError, type RedisConnection } from './connect-redis.ts'
import { settleJobs } from './enqueue-job.ts'
import { KEY_PREFIX, openQueue, type PublishQueue, QUEUE_NAME, workerSettings } from './open-queue.ts'

export interface WorkerOptions {
  readonly redisUrl: string
  readonly databaseUrl: string
  /** Number of jobs at a time, each in its own process. */
  readonly concurrency: number
  /** Longest build of one source in seconds. @default 600 */
  readonly buildSeconds?: number
  /** Environment of these processes, besides the database URL. */
  readonly environment?: Readonly<Record<string, string>>
  readonly log: WorkerLog
}

/** Receives log entries of a worker: ids and codes, never secrets or text of a pack. */
export interface WorkerLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

export interface RunningWorker {
  readonly catalog: Catalog
  readonly queue: PublishQueue
  /** Calls a function after each attempt, with `done` or the code of the error. */
  readonly onAttempt: (listener: (result: string, seconds: number) => void) => void
  /** Takes no more jobs. Returns whether running ones ended within so many milliseconds. */
  drain(deadline: number): Promise<boolean>
}

/**
 * Starts a worker of the publish queue.
 * @throws PublishError `queue_unavailable`, `queue_evicts`
 * @throws CatalogError if the database cannot be used
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { redisUrl, databaseUrl, concurrency, buildSeconds, environment, log } = options
  // Migrates the schema once, and fails here instead of in every job.
  const catalog = await openCatalog({ url: databaseUrl })
  const connection = await connectRedis(redisUrl, 'worker').catch(async (error: unknown) => {
    await catalog.close()
    throw error
  })
  const queue = await openQueue(redisUrl)
  detectEarlyExits()
  const extension = extname(import.meta.url)
  const worker = new Worker(QUEUE_NAME, new URL(`./processor${extension}`, import.meta.url), {
    ...workerSettings,
    connection,
    prefix: KEY_PREFIX,
    concurrency,
    useWorkerThreads: false,
    workerForkOptions: {
      // The output of a crashing process is not a log line and may quote a pack. The crash itself is logged.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {
        ...environment,
        PACKS_DATABASE_URL: databaseUrl,
        ...(buildSeconds !== undefined && { PACKS_BUILD_SECONDS: String(buildSeconds) }),
      },
      execArgv: extension === '.ts' ? ['-C', 'source'] : [],
    },
  })
  logEvents(worker, log)
  logOutages(worker, connection, log)
  const stop = pauseInOutages(worker, catalog, log)
  const settled = followJobs(worker, catalog, queue)
  return {
    catalog,
    queue,
    onAttempt(listener) {
      const measure = (job: Job | undefined): number => (Date.now() - (job?.processedOn ?? Date.now())) / 1000
      worker.on('completed', (job) => listener('done', measure(job)))
      worker.on('failed', (job, { message }) => listener(parseFailure(message).code, measure(job)))
    },
    async drain(deadline) {
      stop()
      const closed = worker.close().then(() => true)
      const isDrained = await withTimeLimit(closed, deadline, () => false)
      connection.disconnect()
      await settled()
      await queue.close()
      await catalog.close()
      return isDrained
    },
  }
}

/**
 * Ends or adds what a job waits for, and records failures that the process of a job could not.
 * @returns waits until all is stored
 */
function followJobs(worker: Worker, catalog: Catalog, queue: PublishQueue): () => Promise<unknown> {
  const running = new Set<Promise<unknown>>()
  const follow = (work: Promise<void>): void => {
    // What fails here is done when the next job of the pack starts.
    const done = work.catch(() => undefined).finally(() => running.delete(done))
    running.add(done)
  }
  worker.on('active', (job) => follow(settleEarlier(catalog, queue, job.id!)))
  worker.on('failed', (job, { message }) => {
    if (job?.finishedOn !== undefined && !hasCode(message)) follow(recordLost(catalog, job.id!, message))
  })
  return () => Promise.allSettled(running)
}

async function settleEarlier(catalog: Catalog, queue: PublishQueue, id: string): Promise<void> {
  const job = await catalog.jobs.get(id)
  if (job !== undefined && job.data !== null) await settleJobs(catalog, queue, [job.slug], job.sequence)
}

async function recordLost(catalog: Catalog, id: string, reason: string): Promise<void> {
  const job = await catalog.jobs.get(id)
  if (job === undefined || job.owner !== null) return
  await recordResult(catalog, id, createFailedResult(job.slug, parseFailure(reason), id))
}

function logEvents(worker: Worker, log: WorkerLog): void {
  worker.on('active', (job) => log.info(describeJob(job), 'job started'))
  worker.on('completed', (job) => {
    const ms = (job.finishedOn ?? 0) - (job.processedOn ?? 0)
    log.info({ ...describeJob(job), ms }, 'job done')
  })
  worker.on('failed', (job, error) => {
    const { code, message } = parseFailure(error.message)
    const { frames } = describeThrown(error)
    log.warn({ ...(job && describeJob(job)), code, reason: message, frames }, 'job failed')
  })
  worker.on('stalled', (id) => log.warn({ job: id }, 'job lost its worker, and goes to another'))
  worker.on('ready', () => log.info({}, 'waiting for jobs'))
}

/** Logs one line when the queue cannot be used, and one when it can again. */
function logOutages(worker: Worker, connection: RedisConnection, log: WorkerLog): void {
  let failing: string | undefined
  worker.on('error', (thrown) => {
    const error = explainQueueError(thrown)
    if (!(error instanceof PublishError)) {
      const { name, code = name } = error as NodeJS.ErrnoException
      // Such as a lock that expired in an outage: the job is started again.
      return log.warn({ code }, 'the queue refused a step of a job')
    }
    if (error.code !== failing) log.error({ code: error.code }, 'the queue cannot be reached, or refuses')
    failing = error.code
  })
  const recover = (): void => {
    if (failing !== undefined) log.info({}, 'the queue can be used again')
    failing = undefined
  }
  connection.on('ready', recover)
  worker.on('active', recover)
}

const MIN_PAUSE_MS = 1000
const MAX_PAUSE_MS = 30_000

/**
 * Takes no jobs from the first that the database fails until it answers. If jobs fail then too, as
 * on a full disk, the pauses double.
 * @returns stops this
 */
function pauseInOutages(worker: Worker, catalog: Catalog, log: WorkerLog): () => void {
  let pauseMs = 0
  let timer: NodeJS.Timeout | undefined
  const resume = (): void =>
    void catalog.state().then(
      () => {
        log.info({}, 'the database answers: taking jobs again')
        return worker.resume()
      },
      () => (timer = setTimeout(resume, MIN_PAUSE_MS)),
    )
  worker.on('progress', (_job, progress) => {
    if (typeof progress !== 'string' || worker.isPaused()) return
    pauseMs = Math.min(Math.max(MIN_PAUSE_MS, 2 * pauseMs), MAX_PAUSE_MS)
    void worker.pause(true)
    const { code, message } = parseFailure(progress)
    log.warn({ code, reason: message }, 'the database is away: taking no jobs until it answers')
    timer = setTimeout(resume, pauseMs)
  })
  worker.on('completed', () => (pauseMs = 0))
  return () => clearTimeout(timer)
}

function describeJob({ id, name, data, attemptsStarted }: Job): Record<string, unknown> {
  return { job: id, kind: name, slug: (data as { readonly slug?: unknown }).slug, attempt: attemptsStarted }
}

const originalInit = Reflect.get(Child.prototype, 'init')

/**
 * Fails a job whose process exits during start-up, so that it is retried. Otherwise it would stay
 * active forever, with its lock renewed.
 *
 * BullMQ 6.7 waits for the `close` event of such a process, but removes all listeners at `exit`,
 * which comes first.
 */
function detectEarlyExits(): void {
  Child.prototype.init = async function (this: Child) {
    const { promise: ended, reject } = Promise.withResolvers<never>()
    this.once('exit', (code, signal) =>
      reject(new Error(`The process exited during start-up: ${signal ?? code}`)),
    )
    this.on('error', reject)
    // After the start nothing awaits this promise.
    ended.catch(() => undefined)
    await Promise.race([originalInit.call(this), ended])
  }
}
