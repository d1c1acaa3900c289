import { formatTable } from '../markdown-table.ts'
import type { BenchResults } from '../results.ts'
import type { CatalogFigures } from './measure-catalog.ts'

/** A run as markdown; `load` is that of the machine over its last five minutes. */
export function formatCatalog(
  machine: BenchResults['machine'],
  load: number,
  figures: readonly CatalogFigures[],
): string {
  const calls = figures[0]?.calls.map(({ call }) => call) ?? []
  const sections = [
    '# Catalog',
    `${machine.cores} × ${machine.cpu}, ${machine.memoryGB} GB, Node ${machine.node.slice(1)}. Titles of three to seven words of the example packs; 40 domains. Load of the machine over five minutes: ${load.toFixed(1)}; over ${machine.cores}, read the shares and not the figures.`,
    '## Calls a second',
    'One after the other, from one process. In brackets: as a share of the yardstick, the same row by a bare prepared `select` of better-sqlite3 or pg, measured in turns with the calls. A list has 20 packs and the true total.',
    formatTable(
      ['database, packs', 'yardstick', ...calls],
      figures.map(({ database, packs, yardstickPerSecond, calls: found }) => [
        `${database} ${packs.toLocaleString('en-US')}`,
        count(yardstickPerSecond),
        ...found.map(({ perSecond, ratio }) => `${count(perSecond)} (${ratio.toPrecision(2)})`),
      ]),
    ),
    '## Space and filling',
    'Bytes on disk, indexes and all, less an empty catalog. Filled in releases of 500; Postgres without waiting for the disk (`fsync=off`).',
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
