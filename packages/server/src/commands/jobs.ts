import type { JobLine } from '@packs/publisher'
import type { Command } from 'commander'
import type { Exit } from '../command-error.ts'
import type { Host } from '../host.ts'
import { addDataOption, readServiceUrls } from '../services/open-services.ts'

const HELP = `
With REDIS_URL, lists the jobs of the queue; otherwise the publishes that ran without a queue. A publish whose process was
killed is listed as failed: it published nothing. Finished jobs are removed after some time.

Examples:
  $ pack jobs
  $ pack jobs tls-basics-4f1c09ab52d37e86a1b0c2d3e4f50617
  $ pack jobs --limit 500 --json`

export function configure(command: Command, host: Host): void {
  addDataOption(command)
    .argument('[id]', 'id of one job')
    .option('--limit <n>', 'maximum number of jobs to list', host.parseCount, 50)
    .addHelpText('after', HELP)
}

export async function run(command: Command, host: Host): Promise<Exit> {
  const { limit, json } = command.opts<{ limit: number; json?: boolean }>()
  const [id] = command.args
  const { findJobs } = await import('../publish/find-jobs.ts')
  const jobs = await findJobs(host, readServiceUrls(command), id, limit)
  if (json) host.writeJson({ jobs })
  else showJobs(host, jobs)
  return 'done'
}

const COLUMNS = ['state', '>done', '>starts', 'pack', 'job']

function showJobs(host: Host, jobs: readonly JobLine[]): void {
  if (jobs.length === 0) {
    host.writeNote('no jobs')
    return
  }
  const rows = jobs.map(({ state, progress, attempts, slug, id }) => [
    state,
    `${Math.floor(progress)} %`,
    String(attempts),
    slug,
    id,
  ])
  const [heading = '', ...lines] = host.formatTable(COLUMNS, rows)
  host.writeResult(`${host.styleResult('bold', heading)}\n`)
  for (const [at, line] of lines.entries()) {
    host.writeResult(`${line}\n`)
    const error = jobs[at]?.error
    if (error) host.writeResult(`  ${host.styleResult('red', host.escapeControls(error))}\n`)
  }
}
