import { formatTable } from '../markdown-table.ts'
import type { BenchResults } from '../results.ts'
import type { EmbeddedFigures } from './measure-embedded.ts'
import type { QueueFigures } from './measure-queue.ts'

/** Formats a run as markdown; `load` is the load average over the last five minutes. */
export function formatPublish(
  machine: BenchResults['machine'],
  load: number,
  embedded: readonly EmbeddedFigures[],
  queued: readonly QueueFigures[],
): string {
  const [concurrency] = queued.map((row) => row.concurrency)
  const sections = [
    '# Publishing',
    `${machine.cores} × ${machine.cpu}, ${machine.memoryGB} GB, Node ${machine.node.slice(1)}. First versions in the default scheme, from ${describeKinds(embedded)} of the example packs. Postgres does not wait for the disk (\`fsync=off\`); Redis writes its AOF every second. Load average over five minutes: ${load.toFixed(1)}. If it is over ${machine.cores}, only the shares are meaningful.`,
    '## In process',
    'One publish after the other. In brackets: share of the baseline, which builds the same sources with `buildPack` alone, alternating with the publishes. Bytes are those of the database, with source and indexes.',
    formatTable(
      ['database, source', '`buildPack` a second', 'publishes a second', 'p50', 'p99', 'CPU', 'bytes a pack'],
      embedded.map((row) => [
        `${row.database}, ${row.kind}`,
        count(row.buildsPerSecond),
        `${count(row.perSecond)} (${share(row.perSecond, row.buildsPerSecond)})`,
        ms(row.p50Ms),
        ms(row.p99Ms),
        ms(row.cpuMs),
        count(row.bytesPerPack),
      ]),
    ),
    '## Through the queue',
    `One worker with ${concurrency} processes. Rates are measured from the first job added to the last one completed. In brackets: share of the baseline, BullMQ jobs that do nothing and run in the process that adds them, alternating with the publishes. p50 and p99 are for a single job, from \`publish\` to its result, including the connections used to wait.`,
    formatTable(
      [
        'database, source',
        'baseline jobs a second',
        'publishes a second',
        'p50',
        'p99',
        'baseline p50',
        'baseline p99',
      ],
      queued.map((row) => [
        `${row.database}, ${row.kind}`,
        count(row.bareJobsPerSecond),
        `${count(row.perSecond)} (${share(row.perSecond, row.bareJobsPerSecond)})`,
        ms(row.p50Ms),
        ms(row.p99Ms),
        ms(row.bareP50Ms),
        ms(row.bareP99Ms),
      ]),
    ),
    `A waiting job takes ${count(Math.max(...queued.map((row) => row.redisBytesPerJob)))} bytes in Redis.`,
  ]
  return `${sections.join('\n\n')}\n`
}

function describeKinds(embedded: readonly EmbeddedFigures[]): string {
  const kinds = new Map(embedded.map(({ kind, sourceBytes }) => [kind, sourceBytes]))
  return [...kinds].map(([kind, bytes]) => `${kind}s (${(bytes / 1000).toFixed(1)} KB)`).join(' and ')
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

function share(value: number, base: number): string {
  return (value / base).toPrecision(2)
}

function ms(value: number): string {
  return `${value.toPrecision(3)} ms`
}
