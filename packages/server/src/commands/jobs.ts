import type { JobLine, JobList, PublishQueue } from '@packs/publisher'
import type { Command } from 'commander'
import { CommandError, type Exit } from '../command-error.ts'
import type { Host } from '../host.ts'
import {
  addDataOption,
  readOperator,
  readServiceUrls,
  withCatalog,
  withReadOnlyCatalog,
} from '../services/open-services.ts'
import type { ServiceUrls } from '../services/open-services.ts'

const HELP = `
With REDIS_URL, lists the jobs in the queue; otherwise the publishes that ran without a queue. A publish whose process was killed is listed as failed: it published nothing. Finished jobs are deleted after a while. \`retry\` puts failed jobs back into the queue; one whose source has errors fails again, so publish that once it is corrected.

Examples:
  $ pack jobs tls-basics-4f1c09ab
  $ pack jobs --limit 500 --json
  $ pack jobs retry --failed`

export function configure(command: Command, host: Host): void {
  const list = command
    .command('list', { isDefault: true })
    .description('list jobs')
    .argument('[id]', 'show only the job with this id')
    .option('--limit <n>', 'maximum number of jobs to list', host.parseCount, 50)
  const retry = command
    .command('retry')
    .description('put failed jobs back into the queue')
    .argument('[id]', 'the job with this id')
    .option('--failed', 'all failed jobs')
  for (const subcommand of [list, retry]) addDataOption(subcommand).addHelpText('after', HELP)
  command.helpCommand(false).addHelpText('after', HELP)
}

export async function run(command: Command, host: Host): Promise<Exit> {
  if (command.name() === 'retry') return runRetry(command, host)
  const { limit, json } = command.opts<{ limit: number; json?: boolean }>()
  const [id] = command.args
  const jobs = await findJobs(host, readServiceUrls(command), id, limit)
  if (json) host.writeJson({ jobs })
  else showJobs(host, jobs)
  return 'done'
}

async function runRetry(command: Command, host: Host): Promise<Exit> {
  const { failed, json } = command.opts<{ failed?: boolean; json?: boolean }>()
  const [id] = command.args
  const urls = readServiceUrls(command)
  if ((id === undefined) !== (failed === true))
    throw new CommandError('usage', 'name either one job or --failed', 'see `pack jobs` for ids')
  if (urls.redisUrl === undefined) {
    const hint = 'publish the sources again; with a queue, set REDIS_URL'
    throw new CommandError('usage', 'without REDIS_URL there is no queue to put a job into', hint)
  }
  const { retryJobs } = await (await import('@packs/publisher')).loadQueue()
  const retried = await withQueue(urls.redisUrl, async (queue) => {
    const job = id === undefined ? undefined : await findJob(queue, id)
    return withCatalog(urls, (catalog) => retryJobs(catalog, queue, readOperator(), job?.id))
  })
  if (json) host.writeJson({ retried })
  else for (const one of retried) host.writeResult(`${host.escapeControls(one)}\n`)
  if (!json)
    host.writeNote(`${retried.length} failed ${retried.length === 1 ? 'job is' : 'jobs are'} queued again`)
  return 'done'
}

/** @throws PublishError `unknown_job` */
async function findJobs(
  host: Host,
  urls: ServiceUrls,
  id: string | undefined,
  limit: number,
): Promise<readonly JobLine[]> {
  const search = async (jobs: JobList): Promise<readonly JobLine[]> =>
    id === undefined ? jobs.list(limit) : [await findJob(jobs, id)]
  if (urls.redisUrl !== undefined) return withQueue(urls.redisUrl, search)
  const { openOwnJobs } = await import('@packs/publisher')
  return withReadOnlyCatalog(host, urls, (catalog) => search(openOwnJobs(catalog, new Date())))
}

/** @throws PublishError `unknown_job` */
async function findJob(jobs: JobList, id: string): Promise<JobLine> {
  // The list shows the beginning of an id.
  const job = (await jobs.find(id)) ?? (await jobs.list(MOST)).find((one) => one.id.startsWith(id))
  if (job !== undefined) return job
  const { PublishError } = await import('@packs/publisher')
  const hint = 'see `pack jobs`; finished jobs are deleted after a while'
  throw new PublishError('unknown_job', `there is no job ${JSON.stringify(id.slice(0, 160))}`, hint)
}

async function withQueue<T>(redisUrl: string, work: (queue: PublishQueue) => Promise<T>): Promise<T> {
  const queue = await (await (await import('@packs/publisher')).loadQueue()).openQueue(redisUrl)
  try {
    return await work(queue)
  } finally {
    await queue.close()
  }
}

const MOST = 1000

function showJobs(host: Host, jobs: readonly JobLine[]): void {
  if (jobs.length === 0) return host.writeNote('no jobs')
  // The id of a job begins with the slug of its pack.
  const rows = jobs.map(({ id, state, progress, attempts, at }) => [
    host.escapeControls(jobs.length === 1 ? id : id.replace(/(-[0-9a-f]{8})[0-9a-f]{24}$/, '$1')),
    state === 'active' ? `${state}, ${Math.floor(progress)} %` : state,
    `${at.slice(0, 10)} ${at.slice(11, 16)}`,
    String(attempts),
  ])
  for (const [at, line] of host.formatTable(['job', '=state', '=time', '>attempts'], rows).entries()) {
    host.writeResult(`${line}\n`)
    const error = jobs[at - 1]?.error
    if (error) host.writeLine(`  ${host.styleResult('red', host.escapeControls(error))}`)
  }
}
