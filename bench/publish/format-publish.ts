import { formatTable } from '../markdown-table.ts'
import type { BenchResults } from '../results.ts'
import type { EmbeddedFigures } from './measure-embedded.ts'
import type { QueueFigures } from './measure-queue.ts'

/** A run as markdown; `load` is that of the machine over its last five minutes. */
export function formatPublish(
  machine: BenchResults['machine'],
  load: number,
  embedded: readonly EmbeddedFigures[],
  queued: readonly QueueFigures[],
): string {
  const [concurrency] = queued.map((row) => row.concurrency)
  const sections = [
    '# Publishing',
    `${machine.cores} × ${machine.cpu}, ${machine.memoryGB} GB, Node ${machine.node.slice(1)}. First versions, default scheme, of ${describeKinds(embedded)} of the example packs. Postgres without waiting for the disk (\`fsync=off\`); Redis with AOF every second. Load of the machine over five minutes: ${load.toFixed(1)}; over ${machine.cores}, read the shares and not the figures.`,
    '## Embedded',
    'In process, one after the other. In brackets: as a share of the yardstick, the same sources through bare `buildPack`, in turns with the publishes. Bytes are those of the database, with source and indexes.',
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
    `By one worker with ${concurrency} processes. A second: from the first added to the last done, in brackets as a share of the yardstick, bare BullMQ jobs that do nothing and run in the process that adds them, in turns. p50 and p99: one alone, from \`publish\` to its result, connections to wait by included.`,
    formatTable(
      ['database, source', 'bare jobs a second', 'publishes a second', 'p50', 'p99', 'bare p50', 'bare p99'],
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
    `A job that waits takes ${count(Math.max(...queued.map((row) => row.redisBytesPerJob)))} bytes of Redis.`,
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
