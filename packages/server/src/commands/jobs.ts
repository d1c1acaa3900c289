import type { JobLine, JobList } from '@packs/publisher'
import type { Command } from 'commander'
import type { Exit } from '../command-error.ts'
import type { Host } from '../host.ts'
import { addDataOption, readServiceUrls, withReadOnlyCatalog } from '../services/open-services.ts'
import type { ServiceUrls } from '../services/open-services.ts'

const HELP = `
With REDIS_URL, lists the jobs in the queue; otherwise the publishes that ran without a queue. A publish whose process was killed is listed as failed: it published nothing. Finished jobs are deleted after a while.

Examples:
  $ pack jobs tls-basics-4f1c09ab
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
  const search = async (jobs: JobList): Promise<readonly JobLine[]> => {
    if (id === undefined) return jobs.list(limit)
    // The list shows the beginning of an id.
    const job = (await jobs.find(id)) ?? (await jobs.list(MOST)).find((one) => one.id.startsWith(id))
    if (job !== undefined) return [job]
    const hint = 'see `pack jobs`; finished jobs are deleted after a while'
    const message = `there is no job ${JSON.stringify(id.slice(0, 160))}`
    throw new publisher.PublishError('unknown_job', message, hint)
  }
  if (urls.redisUrl === undefined)
    return withReadOnlyCatalog(host, urls, (catalog) => search(publisher.openOwnJobs(catalog, new Date())))
  const queue = await (await publisher.loadQueue()).openQueue(urls.redisUrl)
  try {
    return await search(queue)
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
