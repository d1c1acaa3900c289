import { formatTable } from '../markdown-table.ts'
import type { BenchResults } from '../results.ts'
import type { DownloadFigures } from './measure-downloads.ts'
import type { ApiFigures } from './measure-requests.ts'

export interface ApiResults {
  readonly machine: BenchResults['machine']
  /** Of the machine over five minutes. */
  readonly load: number
  readonly figures: readonly ApiFigures[]
  readonly downloads: readonly DownloadFigures[]
}

/** Least share of a bare server's requests a second. */
const GOALS = { pack: { embedded: 0.6, Redis: 0.5 }, list: 0.4 } as const

/** A run as markdown. */
export function formatApi({ machine, load, figures, downloads }: ApiResults): string {
  const sections = [
    '# API',
    `${machine.cores} × ${machine.cpu}, ${machine.memoryGB} GB, Node ${machine.node.slice(1)}. Load of the machine over five minutes: ${load.toFixed(1)}; over ${machine.cores}, read the shares and not the figures.`,
    '`pack serve` as it is in service (key checked, allowance counted, tags, logs, metrics) beside a bare `node:http` server that sends the same bytes, header fields included. 32 connections, in turns, medians of three rounds. _Processor_ is the bare server’s processor time a request ÷ the API’s: it does not depend on how fast the client is.',
    formatTable(
      [
        'request',
        'packs',
        'allowance in',
        'a second',
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
    '100 packs of 20 KB as NDJSON. Memory is that of the whole process, after the first tenth and at most after that.',
    formatTable(
      ['packs', 'downloads', 'at once', 'MB', 'MB a second', 'memory before', 'memory at most'],
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
