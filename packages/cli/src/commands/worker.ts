import { availableParallelism } from 'node:os'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { exitStatus, type ExitStatus } from '../exit-status.ts'
import { writeJson } from '../output/terminal.ts'
import { addDataOption, readServiceUrls } from '../services/open-services.ts'
import { parseCount } from './option-values.ts'

const HELP = `
Takes publishes from the queue at REDIS_URL and commits them to the catalog, each in a process of its own, until SIGTERM or
SIGINT: then it takes no more, and ends when those under way are done or the deadline is over. What it leaves then, or
when it is killed, another worker takes up. Logs are lines of JSON on stderr.

Examples:
  $ pack worker
  $ pack worker --concurrency 4 --deadline 60
  $ REDIS_URL=redis://127.0.0.1:6379 DATABASE_URL=postgres://… pack worker`

export function configure(command: Command): void {
  addDataOption(command)
    .option('--concurrency <n>', 'publishes at a time', parseCount, availableParallelism())
    .option('--deadline <seconds>', 'longest wait for publishes under way at the end', parseCount, 25)
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const { concurrency, deadline, json } = command.opts<{
    concurrency: number
    deadline: number
    json?: boolean
  }>()
  const { redisUrl, databaseUrl } = readServiceUrls(command)
  if (redisUrl === undefined) {
    const hint = 'set it like redis://127.0.0.1:6379; without a queue `pack publish` does all the work itself'
    throw new CliError('usage', 'a worker needs REDIS_URL', hint)
  }
  const { startWorker } = await import('@packs/publisher/queue')
  const { createLog, redirectConsole, waitForSignal } = await import('../services/service-process.ts')
  const log = createLog()
  redirectConsole(log)
  const environment = pickEnvironment(process.env)
  const worker = await startWorker({ redisUrl, databaseUrl, concurrency, environment, log })
  log.info({ concurrency }, 'worker started')
  const signal = await waitForSignal()
  log.info({ signal, deadline }, 'worker ends')
  const isDrained = await worker.drain(deadline * 1000)
  if (isDrained) log.info({}, 'worker ended')
  else log.warn({}, 'deadline over: other workers take up what is left')
  if (json) writeJson({ ok: true, drained: isDrained })
  // Processes of jobs that did not end in time would hold this one.
  setImmediate(() => process.exit(exitStatus.done))
  return exitStatus.done
}

/** What processes of jobs may need of the environment, beside their settings: no address of Redis, no other secret. */
const NEEDED = /^(?:PATH|HOME|TZ|LANG|LC_[A-Z]+|TMPDIR|TEMP|TMP|SystemRoot|NODE_EXTRA_CA_CERTS|PG[A-Z]+)$/

function pickEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const needed = Object.entries(environment).filter(([name]) => NEEDED.test(name))
  return Object.fromEntries(needed.map(([name, value]) => [name, value ?? '']))
}
