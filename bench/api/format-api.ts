import { formatTable } from '../markdown-table.ts'
import type { BenchResults } from '../results.ts'
import type { DownloadFigures } from './measure-downloads.ts'
import type { ApiFigures } from './measure-requests.ts'
import type { VisitorFigures } from './measure-visitors.ts'

export interface ApiResults {
  readonly machine: BenchResults['machine']
  /** Load average of the machine over five minutes. */
  readonly load: number
  readonly figures: readonly ApiFigures[]
  readonly downloads: readonly DownloadFigures[]
  readonly visitors: readonly VisitorFigures[]
}

/** Minimum share of the bare server's requests per second, and of the API's own with visitors. */
const GOALS = { pack: { embedded: 0.6, Redis: 0.5 }, list: 0.4, visited: 0.8 } as const

/** Formats a run as markdown. */
export function formatApi({ machine, load, figures, downloads, visitors }: ApiResults): string {
  const sections = [
    '# API',
    `${machine.cores} × ${machine.cpu}, ${machine.memoryGB} GB, Node ${machine.node.slice(1)}. Load average over five minutes: ${load.toFixed(1)}. If it is over ${machine.cores}, compare only the shares.`,
    '`pack serve` as in production (key, quota, tags, logs, metrics) compared with a bare `node:http` server that sends the same bytes and header fields. 32 connections, alternating, medians of three rounds. _Processor_ is the bare server’s processor time per request ÷ the API’s; it does not depend on the speed of the client.',
    formatTable(
      [
        'request',
        'packs',
        'quota in',
        'per second',
        'bare',
        'share',
        'goal',
        '',
        'processor',
        'p99',
        'bare p99',
      ],
      figures.map((one) => [
        one.request,
        count(one.packs),
        one.quota,
        count(one.perSecond),
        count(one.barePerSecond),
        one.ratio.toFixed(2),
        ...checkGoal(one),
        one.cpuRatio.toFixed(2),
        `${one.p99.toFixed(0)} ms`,
        `${one.bareP99.toFixed(0)} ms`,
      ]),
    ),
    '## Downloads',
    '100 packs of 20 KB as NDJSON. Memory is that of the whole process: after the first tenth, and the maximum after that.',
    formatTable(
      ['packs', 'downloads', 'concurrent', 'MB', 'MB per second', 'memory before', 'maximum memory'],
      downloads.map((one) => [
        count(one.packs),
        count(one.downloads),
        count(one.atOnce),
        count(one.megabytes),
        count(one.megabytesPerSecond),
        `${count(one.memoryBefore)} MB`,
        `${count(one.memoryMost)} MB`,
      ]),
    ),
    '## Visitors of large packs',
    'Requests per second of the API while ten visitors open the pages of packs of 15 MB, each one page a second, compared with the API alone on the same server. Caches are empty when they begin.',
    formatTable(
      ['database', 'packs', 'pages', 'alone', 'with visitors', 'ratio', 'goal', ''],
      visitors.map((one) => [
        one.database,
        one.packs,
        count(one.pages),
        count(one.alonePerSecond),
        count(one.visitedPerSecond),
        one.ratio.toFixed(2),
        `≥ ${GOALS.visited}`,
        one.ratio >= GOALS.visited ? 'met' : '**missed**',
      ]),
    ),
  ]
  return `${sections.join('\n\n')}\n`
}

function checkGoal({ request, quota, ratio }: ApiFigures): string[] {
  const goal = request.includes('list') ? GOALS.list : GOALS.pack[quota]
  return [`≥ ${goal}`, ratio >= goal ? 'met' : '**missed**']
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
