import type { BenchResults } from '../results.ts'
import { formatTable } from '../markdown-table.ts'
import type { QualityFigures } from './measure-quality.ts'
import type { ScaleFigures } from './measure-scale.ts'

/** The quality of one way to search. */
export interface EngineQuality {
  readonly engine: string
  readonly figures: readonly QualityFigures[]
}

export interface SearchResults {
  readonly machine: BenchResults['machine']
  readonly load: number
  readonly set: 'corpus' | 'examples'
  readonly quality: readonly EngineQuality[]
  readonly scale: readonly ScaleFigures[]
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}`
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

/** Formats the results as markdown. */
export function formatSearch({ machine, load, set, quality, scale }: SearchResults): string {
  const { cpu, cores, node } = machine
  return `# Search

${cpu}, ${cores} cores, Node ${node}, load ${load.toFixed(1)}. Queries over ${set === 'corpus' ? 'the shared corpus' : 'examples/packs'}, in per cent; tokens are means.

${quality.map(formatQuality).join('\n')}
${scale.length === 0 ? '' : formatScale(scale)}`
}

function formatQuality({ engine, figures }: EngineQuality): string {
  const rows = figures.map((row) => [
    row.kind,
    String(row.queries),
    percent(row.packFirst),
    percent(row.packInFive),
    row.answered === 0 ? '' : percent(row.sectionInFive),
    row.answered === 0 ? '' : percent(row.sectionInFiveOrAlso),
    row.tokensOfFirst.toFixed(0),
    row.tokensOfFive.toFixed(0),
    row.tokensOfPack.toFixed(0),
  ])
  const head = ['kind', 'queries', 'right pack first', 'pack in five', 'section in five', 'or in also']
  return `## ${engine}\n\n${formatTable([...head, 'first hit', 'five sections', 'first pack'], rows)}\n`
}

function formatScale(scale: readonly ScaleFigures[]): string {
  const rows = scale.map((row) => [
    row.database,
    String(row.packs),
    String(row.sections),
    row.p50.toFixed(1),
    row.p99.toFixed(1),
    row.hostileMax.toFixed(0),
    `${megabytes(row.indexBytes)} (${(row.indexBytes / row.textBytes).toFixed(2)})`,
    row.fillPerPack.toFixed(1),
    `${row.publish.build.toFixed(0)} + ${row.publish.commit.toFixed(0)}`,
    `${row.publish.build.toFixed(0)} + ${row.publish.plainCommit.toFixed(0)}`,
    row.publish.ratio.toFixed(2),
  ])
  const head = ['database', 'packs', 'sections', 'p50 ms', 'p99 ms', 'slowest hostile ms', 'index (÷ text)']
  const publish = ['release, ms a pack', 'build + commit, ms', 'without index', 'ratio']
  return `## Many packs\n\n${formatTable([...head, ...publish], rows)}\n`
}
