import { extname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openCatalog } from '@packs/catalog'
import { Child, type Job, Worker } from 'bullmq'
import { parseFailure } from '../steps/describe-failure.ts'
import { connectRedis } from './connect-redis.ts'
import { explainQueueError } from './explain-queue-error.ts'
import { KEY_PREFIX, QUEUE_NAME, workerSettings } from './open-queue.ts'

export interface WorkerOptions {
  readonly redisUrl: string
  readonly databaseUrl: string
  /** Jobs at a time, each in a process of its own. */
  readonly concurrency: number
  /** Environment of those processes, beside the address of the database. */
  readonly environment?: Readonly<Record<string, string>>
  readonly log: WorkerLog
}

/** Hears what a worker does: ids and codes, never a secret or the text of a pack. */
export interface WorkerLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

export interface RunningWorker {
  /** Takes no more jobs and waits for those under way; tells whether all ended within the deadline, in milliseconds. */
  drain(deadline: number): Promise<boolean>
}

/**
 * Starts a worker of the publish queue.
 *
 * @throws PublishError where Redis cannot be reached, or may drop jobs
 * @throws CatalogError where the database cannot be used
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { redisUrl, databaseUrl, concurrency, environment, log } = options
  // Brings the schema up to date once, and fails here rather than in every job.
  await (await openCatalog({ url: databaseUrl })).close()
  const connection = await connectRedis(redisUrl, 'worker')
  detectEarlyExits()
  const extension = extname(import.meta.url)
  const worker = new Worker(QUEUE_NAME, new URL(`./processor${extension}`, import.meta.url), {
    ...workerSettings,
    connection,
    prefix: KEY_PREFIX,
    concurrency,
    useWorkerThreads: false,
    workerForkOptions: {
      // What a process prints as it dies is no line of a log, and may quote a text; that it died is told.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...environment, PACKS_DATABASE_URL: databaseUrl },
      execArgv: extension === '.ts' ? ['-C', 'source'] : [],
    },
  })
  logEvents(worker, log)
  return {
    async drain(deadline) {
      const closed = worker.close().then(() => true)
      const isDrained = await Promise.race([closed, setTimeout(deadline, false, { ref: false })])
      connection.disconnect()
      return isDrained
    },
  }
}

function logEvents(worker: Worker, log: WorkerLog): void {
  worker.on('active', (job) => log.info(describeJob(job), 'job started'))
  worker.on('completed', (job) => {
    const ms = (job.finishedOn ?? 0) - (job.processedOn ?? 0)
    log.info({ ...describeJob(job), ms }, 'job done')
  })
  worker.on('failed', (job, error) => {
    const { code, message } = parseFailure(error.message)
    log.warn({ ...(job && describeJob(job)), code, reason: message, frames: readFrames(error) }, 'job failed')
  })
  worker.on('stalled', (id) => log.warn({ job: id }, 'job lost its worker, and goes to another'))
  worker.on('error', (error) => {
    log.error({ code: readCode(error) }, 'the queue cannot be reached, or refuses')
  })
  worker.on('ready', () => log.info({}, 'waiting for jobs'))
}

function readCode(error: Error): string {
  const { code, name } = explainQueueError(error) as NodeJS.ErrnoException
  return code ?? name
}

function describeJob({ id, name, data, attemptsStarted }: Job): Record<string, unknown> {
  return { job: id, kind: name, slug: (data as { readonly slug?: unknown }).slug, attempt: attemptsStarted }
}

/** Where it failed, without the message, which may quote anything. */
function readFrames({ stack }: Error): string[] {
  return (
    (stack ?? '')
      .match(/^ {4}at .*$/gm)
      ?.slice(0, 8)
      .map((frame) => frame.trim()) ?? []
  )
}

const originalInit = Reflect.get(Child.prototype, 'init')

/**
 * Lets a job fail whose process ends while it starts, so that it is tried again; it would be under way for ever, its lock renewed.
 *
 * BullMQ 6.7 waits for the end of such a process by its event `close`, but takes all listeners away at `exit`, which comes first.
 */
function detectEarlyExits(): void {
  Child.prototype.init = async function (this: Child) {
    const { promise: ended, reject } = Promise.withResolvers<never>()
    this.once('exit', (code, signal) =>
      reject(new Error(`The process ended while it started: ${signal ?? code}`)),
    )
    this.on('error', reject)
    // Nobody waits for it any more once the process has started.
    ended.catch(() => undefined)
    await Promise.race([originalInit.call(this), ended])
  }
}
