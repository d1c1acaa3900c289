import { availableParallelism } from 'node:os'
import type { Command } from 'commander'
import { CommandError, type Exit } from '../../command-error.ts'
import type { Host } from '../../host.ts'
import { createOption } from '../../services/environment.ts'
import { addDataOption, readServiceUrls } from '../../services/open-services.ts'

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
    .addHelpText('after', createHelp(host))
}

export async function run(command: Command, host: Host): Promise<Exit> {
  type Options = { concurrency: number; deadline: number; json?: boolean }
  const { concurrency, deadline, json } = command.opts<Options>()
  const { redisUrl, databaseUrl } = readServiceUrls(command)
  if (redisUrl === undefined) {
    const hint =
      'set it, for example to redis://127.0.0.1:6379; without a queue, `pack publish` does the work itself'
    throw new CommandError('usage', 'a worker needs REDIS_URL', hint)
  }
  const { startWorker } = await (await import('@packs/publisher')).loadQueue()
  const { createLog, redirectConsole, waitForSignal } = await import('../../services/service-process.ts')
  const log = createLog()
  redirectConsole(log)
  const needed = Object.entries(process.env).filter(([name]) => NEEDED.test(name))
  const environment = Object.fromEntries(needed.map(([name, value]) => [name, value ?? '']))
  const buildSeconds = host.readBuildSeconds()
  const worker = await startWorker({ redisUrl, databaseUrl, concurrency, buildSeconds, environment, log })
  log.info({ concurrency }, 'worker started')
  const signal = await waitForSignal()
  log.info({ signal, deadline }, 'worker stopping')
  const isDrained = await worker.drain(deadline * 1000)
  if (isDrained) log.info({}, 'worker ended')
  else log.warn({}, 'deadline passed; other workers take over the remaining jobs')
  if (json) host.writeJson({ ok: true, drained: isDrained })
  // Job processes that have not exited in time would keep this process running.
  setImmediate(() => process.exit(0))
  return 'done'
}

/** Job processes get neither the URL of Redis nor other secrets. */
const NEEDED = /^(?:PATH|HOME|TZ|LANG|LC_[A-Z]+|TMPDIR|TEMP|TMP|SystemRoot|NODE_EXTRA_CA_CERTS|PG[A-Z]+)$/
