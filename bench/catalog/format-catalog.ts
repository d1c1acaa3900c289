import { formatTable } from '../markdown-table.ts'
import type { BenchResults } from '../results.ts'
import type { CatalogFigures } from './measure-catalog.ts'

/** Formats a run as markdown. `load` is the machine's load average over five minutes. */
export function formatCatalog(
  machine: BenchResults['machine'],
  load: number,
  figures: readonly CatalogFigures[],
): string {
  const calls = figures[0]?.calls.map(({ call }) => call) ?? []
  const sections = [
    '# Catalog',
    `${machine.cores} × ${machine.cpu}, ${machine.memoryGB} GB, Node ${machine.node.slice(1)}. Titles of three to seven words of the example packs; 40 domains. Load of the machine over five minutes: ${load.toFixed(1)}; above ${machine.cores}, rely on the shares only.`,
    '## Calls a second',
    'Sequential calls from one process. In brackets: the share of the yardstick, which reads the same row by a prepared `select` of better-sqlite3 or pg, in turns with the calls. A list has 20 packs and the exact total.',
    formatTable(
      ['database, packs', 'yardstick', ...calls],
      figures.map(({ database, packs, yardstickPerSecond, calls: found }) => [
        `${database} ${packs.toLocaleString('en-US')}`,
        count(yardstickPerSecond),
        ...found.map(({ perSecond, ratio }) => `${count(perSecond)} (${ratio.toPrecision(2)})`),
      ]),
    ),
    '## Space and filling',
    'Bytes on disk with indexes, minus an empty catalog. Filled in releases of 500; Postgres with `fsync=off`.',
    formatTable(
      ['database, packs', 'bytes a pack', 'of it the document', 'packs committed a second'],
      figures.map((one) => [
        `${one.database} ${one.packs.toLocaleString('en-US')}`,
        count(one.bytesPerPack),
        count(one.documentBytes),
        count(one.filledPerSecond),
      ]),
    ),
  ]
  return `${sections.join('\n\n')}\n`
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
