import { availableParallelism } from 'node:os'
import type { RunningWorker } from '@packs/publisher'
import type { Command } from 'commander'
import { CommandError, type Exit } from '../../command-error.ts'
import type { Host } from '../../host.ts'
import type { AdminOptions, ListenAddress } from '../../serve/listen.ts'
import type { ReadinessCheck } from '../../serve/metrics.ts'
import { parseAdminAddress } from '../../serve/read-settings.ts'
import { createOption } from '../../services/environment.ts'
import { addDataOption, findDataFolder, readServiceUrls } from '../../services/open-services.ts'

const createHelp = ({ buildSecondsHelp }: Host): string => `
Takes publish jobs from the queue at REDIS_URL and commits them to the catalog, each in its own process. On SIGTERM or SIGINT it takes no more jobs, and exits when the running ones are done or the deadline has passed. Another worker takes over the remaining jobs, even if this one was killed. ${buildSecondsHelp} Its job fails at once. Logs are JSON lines on stderr.

Examples:
  $ pack worker --concurrency 4 --deadline 60
  $ REDIS_URL=redis://127.0.0.1:6379 DATABASE_URL=postgres://… pack worker`

export function configure(command: Command, host: Host): void {
  addDataOption(command)
    .addOption(
      createOption('--concurrency <n>', 'number of jobs to run at the same time')
        .argParser(host.parseCount)
        .default(availableParallelism()),
    )
    .addOption(
      createOption('--deadline <seconds>', 'how long to wait for running jobs on exit')
        .argParser(host.parseCount)
        .default(25),
    )
    .addOption(
      createOption(
        '--admin-port <port>',
        'port, or HOST:PORT, for /metrics and health; without it, there are none',
      ).argParser(parseAdminAddress),
    )
    .addHelpText('after', createHelp(host))
}

export async function run(command: Command, host: Host): Promise<Exit> {
  type Options = { concurrency: number; deadline: number; adminPort?: ListenAddress; json?: boolean }
  const { concurrency, deadline, adminPort, json } = command.opts<Options>()
  const { redisUrl, databaseUrl } = readServiceUrls(command)
  if (redisUrl === undefined) {
    const hint =
      'set it, for example to redis://127.0.0.1:6379; without a queue, `pack publish` does the work itself'
    throw new CommandError('usage', 'a worker needs REDIS_URL', hint)
  }
  const { startWorker } = await (await import('@packs/publisher')).loadQueue()
  const { createLog, readJobEnvironment, redirectConsole, waitForSignal } =
    await import('../../services/service-process.ts')
  const log = createLog()
  redirectConsole(log)
  const environment = readJobEnvironment()
  const buildSeconds = host.readBuildSeconds()
  const place = adminPort && (await checkAdmin(adminPort, findDataFolder(command)))
  const worker = await startWorker({ redisUrl, databaseUrl, concurrency, buildSeconds, environment, log })
  let isEnding = false
  const admin = place && (await startWorkerAdmin(worker, { ...place, log, isEnding: () => isEnding }))
  log.info({ concurrency, admin_port: admin?.port }, 'worker started')
  const signal = await waitForSignal()
  isEnding = true
  log.info({ signal, deadline }, 'worker stopping')
  const isDrained = await worker.drain(deadline * 1000)
  if (isDrained) log.info({}, 'worker ended')
  else log.warn({}, 'deadline passed; other workers take over the remaining jobs')
  if (json) host.writeJson({ ok: true, drained: isDrained })
  // Job processes that have not exited in time would keep this process running.
  setImmediate(() => process.exit(0))
  return 'done'
}

const ATTEMPT_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

/**
 * Before jobs are taken.
 * @throws CommandError `address_in_use`, `address_unavailable`, `file_unreadable`
 */
async function checkAdmin(address: ListenAddress, folder: string): Promise<AdminPlace> {
  const { findPort } = await import('../../serve/listen.ts')
  const { token } = (await import('../../serve/read-secrets.ts')).loadOperatorToken(folder)
  return { token, address: { ...address, port: await findPort(address, '--admin-port') } }
}

type AdminPlace = Pick<AdminOptions, 'address' | 'token'>

/** Starts the listener of `--admin-port`, which ends with the process. */
async function startWorkerAdmin(
  { catalog, queue, onAttempt }: RunningWorker,
  { isEnding, ...options }: AdminPlace & Pick<AdminOptions, 'log'> & { isEnding: () => boolean },
): Promise<{ readonly port: number }> {
  const { createMeasurement, createRegistry, renderDependencyMetrics, watchReadiness } =
    await import('../../serve/metrics.ts')
  const { readHealth, startAdmin } = await import('../../serve/listen.ts')
  const { watchCatalog } = await import('@packs/catalog')
  const { Histogram } = await import('prom-client')
  const registry = createRegistry()
  const attempts = new Histogram({
    name: 'packs_publish_seconds',
    help: 'Time of an attempt of a job, by its result: done, or the code of the error',
    labelNames: ['result'],
    buckets: ATTEMPT_BUCKETS,
    registers: [registry],
  })
  onAttempt((result, seconds) => attempts.observe({ result }, seconds))
  const readiness = watchReadiness(catalog, await watchCatalog(catalog))
  const watch = createMeasurement(() => queue.measure(Date.now()))
  const failing = (): ReadinessCheck[] =>
    queue.connection.status === 'ready' ? [...readiness.failing()] : [...readiness.failing(), 'redis']
  return startAdmin({
    ...options,
    readHealth: () => readHealth({ failing }, isEnding()),
    render: async () => (await registry.metrics()) + (await renderDependencyMetrics(failing(), watch)),
  })
}
