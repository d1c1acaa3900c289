import type { JobLine, openQueue, PublishQueue } from '@packs/publisher'
import type { Command } from 'commander'
import type { Exit } from '../command-error.ts'
import type { Host } from '../host.ts'
import {
  addDataOption,
  readServiceUrls,
  withReadOnlyCatalog,
  type ServiceUrls,
} from '../services/open-services.ts'

const HELP = `
With REDIS_URL, lists the jobs in the queue; otherwise the publishes that ran without a queue. A publish whose process was
killed is listed as failed: it published nothing. Finished jobs are deleted after a while.

Examples:
  $ pack jobs
  $ pack jobs tls-basics-4f1c09ab52d37e86a1b0c2d3e4f50617
  $ pack jobs --limit 500 --json`

export function configure(command: Command, host: Host): void {
  addDataOption(command)
    .argument('[id]', 'show only the job with this id')
    .option('--limit <n>', 'maximum number of jobs to list', host.parseCount, 50)
    .addHelpText('after', HELP)
}

export async function run(command: Command, host: Host): Promise<Exit> {
  const { limit, json } = command.opts<{ limit: number; json?: boolean }>()
  const [id] = command.args
  const jobs = await findJobs(host, readServiceUrls(command), id, limit)
  if (json) host.writeJson({ jobs })
  else showJobs(host, jobs)
  return 'done'
}

/** @throws PublishError `unknown_job` */
async function findJobs(
  host: Host,
  urls: ServiceUrls,
  id: string | undefined,
  limit: number,
): Promise<readonly JobLine[]> {
  const publisher = await import('@packs/publisher')
  const { redisUrl } = urls
  const now = new Date()
  if (id === undefined)
    return redisUrl === undefined
      ? withReadOnlyCatalog(host, urls, (catalog) => publisher.listOwnJobs(catalog, limit, now))
      : withQueue(publisher.openQueue, redisUrl, (queue) => queue.list(limit))
  const job = await (redisUrl === undefined
    ? withReadOnlyCatalog(host, urls, (catalog) => publisher.findOwnJob(catalog, id, now))
    : withQueue(publisher.openQueue, redisUrl, (queue) => queue.find(id)))
  if (job !== undefined) return [job]
  const hint = 'see `pack jobs`; finished jobs are deleted after a while'
  throw new publisher.PublishError('unknown_job', `there is no job ${JSON.stringify(id.slice(0, 160))}`, hint)
}

async function withQueue<T>(
  open: typeof openQueue,
  redisUrl: string,
  work: (queue: PublishQueue) => Promise<T>,
): Promise<T> {
  const queue = await open(redisUrl)
  try {
    return await work(queue)
  } finally {
    await queue.close()
  }
}

const COLUMNS = ['state', '>done', '>starts', 'pack', 'job']

function showJobs(host: Host, jobs: readonly JobLine[]): void {
  if (jobs.length === 0) return host.writeNote('no jobs')
  const rows = jobs.map(({ state, progress, attempts, slug, id }) => [
    state,
    `${Math.floor(progress)} %`,
    String(attempts),
    host.escapeControls(slug),
    host.escapeControls(id),
  ])
  const [heading = '', ...lines] = host.formatTable(COLUMNS, rows)
  host.writeResult(`${host.styleResult('bold', heading)}\n`)
  for (const [at, line] of lines.entries()) {
    host.writeResult(`${line}\n`)
    const error = jobs[at]?.error
    if (error) host.writeResult(`  ${host.styleResult('red', host.escapeControls(error))}\n`)
  }
}
