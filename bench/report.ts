import {
  BUILD_GOALS,
  DECODE_GOAL,
  DECODE_SCALING_GOAL,
  OPTIMALITY_GOALS,
  SAVINGS_GOALS,
  SPEED_GOALS,
} from './goals.ts'
import { formatTable } from './markdown-table.ts'
import type { BenchResults } from './results.ts'
import type { VariantSavings } from './savings.ts'

/** Formats a run as markdown: one table per part, with the goals and whether they are met. */
export function formatReport(results: BenchResults): string {
  const { corpus, machine } = results
  const sections = [
    `# Benchmark`,
    `${corpus.documents} documents of the ${corpus.name === 'corpus' ? 'shared corpus' : 'examples'}, ` +
      `${(corpus.bytes / 1e6).toFixed(2)} MB, ${corpus.tokens.toLocaleString('en-US')} o200k_base tokens. ` +
      `${machine.cores} × ${machine.cpu}, ${machine.memoryGB} GB, Node ${machine.node.slice(1)}.`,
    ...formatSavings(results),
    ...formatSpeed(results),
    ...formatDecode(results),
    ...formatBuild(results),
    ...formatPeers(results),
  ]
  return `${sections.join('\n\n')}\n`
}

function formatSavings({ savings, corpus }: BenchResults): string[] {
  if (savings.length === 0) return []
  const hasGoals = corpus.name === 'corpus' && !corpus.sample
  return [
    '## Savings',
    'Net savings in percent of the source’s tokens: savings of the content minus cost of the header.',
    formatTable(
      ['scheme', 'mean', 'mean ≥ 15 KB', 'pooled', 'with a header', 'goal', '', 'cost more', 'not restored'],
      savings.map((one) => [
        one.variant,
        percent(one.all.net),
        percent(one.large.net),
        percent(one.pooled.net),
        percent(one.withHeader),
        ...(hasGoals ? judgeSavings(one) : ['', '']),
        String(one.worse),
        String(one.roundTripFailures),
      ]),
    ),
    '### Of the best possible',
    'Savings of the selected entries ÷ certified upper bound for every dictionary of the scheme; median of documents ≥ 15 KB.',
    formatTable(
      ['scheme', 'share', 'goal', ''],
      savings.map(({ variant, optimality }) => {
        const goal = OPTIMALITY_GOALS.get(variant)
        const verdict = goal === undefined || !hasGoals ? ['', ''] : [`≥ ${goal}`, judge(optimality >= goal)]
        return [variant, optimality.toFixed(3), ...verdict]
      }),
    ),
    '### By size',
    'Gross − header = net, mean over the documents.',
    formatTable(
      ['scheme', ...(savings[0]?.buckets ?? []).map(({ bucket, documents }) => `${bucket} (${documents})`)],
      savings.map((one) => [
        one.variant,
        ...one.buckets.map(
          ({ gross, header, net }) => `${percent(gross)} − ${percent(header)} = ${percent(net)}`,
        ),
      ]),
    ),
  ]
}

function judgeSavings({ variant, all, large, pooled, withHeader }: VariantSavings): string[] {
  const goal = SAVINGS_GOALS.get(variant)
  if (goal === undefined) return ['', '']
  const measured = { all: all.net, large: large.net, pooled: pooled.net, withHeader }
  const parts = (['all', 'large', 'pooled', 'withHeader'] as const).map((key) => [goal[key], measured[key]])
  const met = parts.every(([least, value]) => least === undefined || value! >= least)
  return [parts.map(([least]) => least?.toFixed(1) ?? '–').join(' · '), judge(met)]
}

function formatSpeed({ speed }: BenchResults): string[] {
  if (speed.length === 0) return []
  return [
    '## Compress speed',
    'Compression time ÷ time of the first tokenisation of the same text, each document in a fresh process.',
    'Documents of 60-125 KB. If they are fewer than 15, longer ones are cut at a line end at 100 KB, then small neighbours of one folder are joined.',
    formatTable(
      ['scheme', 'documents', 'median', 'least', 'most', 'goal', ''],
      speed.map(({ variant, ratio, files }) => {
        const ratios = files.map((file) => file.ratio)
        const goal = SPEED_GOALS.get(variant) ?? Infinity
        return [
          variant,
          String(files.length),
          ...[ratio, Math.min(...ratios), Math.max(...ratios)].map((value) => `${value.toFixed(1)}×`),
          `≤ ${goal}×`,
          judge(ratio <= goal),
        ]
      }),
    ),
  ]
}

function formatDecode({ decode }: BenchResults): string[] {
  const first = decode[0]
  if (first === undefined) return []
  return [
    '## Decode speed',
    'As a share of a bare `charCodeAt` loop over the decoded text.',
    formatTable(
      ['entries', 'uses', 'text', 'decode', 'loop', 'share', 'goal', ''],
      decode.map((one) => {
        const keeps = one.decodeMBps >= DECODE_SCALING_GOAL * first.decodeMBps
        return [
          one.entries.toLocaleString('en-US'),
          one.uses.toLocaleString('en-US'),
          `${one.megabytes.toFixed(1)} MB`,
          `${one.decodeMBps.toFixed(0)} MB/s`,
          `${one.loopMBps.toFixed(0)} MB/s`,
          one.ratio.toFixed(2),
          `≥ ${DECODE_GOAL}, half the speed at ${first.entries}`,
          judge(one.ratio >= DECODE_GOAL && keeps),
        ]
      }),
    ),
  ]
}

function formatBuild({ build }: BenchResults): string[] {
  const first = build[0]
  if (first === undefined) return []
  return [
    '## Building a folder',
    `\`pack build\` of ${first.files} files, ${(first.bytes / 1e6).toFixed(1)} MB, start of the program included.`,
    formatTable(
      ['', 'time', 'yardstick', 'its time', 'ratio', 'goal', ''],
      build.map((one) => {
        const goal = BUILD_GOALS.get(one.what)
        const verdict = goal === undefined ? ['', ''] : [`≤ ${goal} s`, judge(one.seconds <= goal)]
        const times = [one.seconds, one.yardstickSeconds].map((seconds) => `${seconds.toFixed(2)} s`)
        return [one.what, times[0]!, one.yardstick, times[1]!, `${one.ratio.toFixed(1)}×`, ...verdict]
      }),
    ),
  ]
}

function formatPeers({ peers }: BenchResults): string[] {
  const first = peers[0]
  if (first === undefined) return []
  const theirs = Object.keys(first.peers)
  const ours = Object.keys(first.ours)
  return [
    '## Beside other programs',
    'Net percent on the same files, headers counted. `tokenshrink` and `utcp` do not restore what they change.',
    formatTable(
      ['file', 'tokens', ...theirs, ...ours],
      peers.map((row) => [
        row.file,
        row.tokens.toLocaleString('en-US'),
        ...theirs.map((name) => percent(row.peers[name])),
        ...ours.map((name) => percent(row.ours[name])),
      ]),
    ),
  ]
}

function percent(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '–' : value.toFixed(2)
}

function judge(met: boolean): string {
  return met ? 'met' : '**missed**'
}
