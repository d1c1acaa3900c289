import type { BenchResults } from '../results.ts'
import { formatTable } from '../markdown-table.ts'
import type { LoadFigures } from './measure-load.ts'
import type { QualityFigures } from './measure-quality.ts'
import type { QueryFigures, ScaleFigures } from './measure-scale.ts'

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
  readonly beside: readonly LoadFigures[]
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}`
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

/** Formats the results as markdown. */
export function formatSearch({ machine, load, set, quality, scale, beside }: SearchResults): string {
  const { cpu, cores, node } = machine
  return `# Search

${cpu}, ${cores} cores, Node ${node}, load ${load.toFixed(1)}. Queries over ${set === 'corpus' ? 'the shared corpus' : 'examples/packs'}, in per cent; tokens are means.

${quality.map(formatQuality).join('\n')}
${scale.length === 0 ? '' : formatScale(scale)}${beside.map(formatLoad).join('')}`
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
    ...formatQueries(row.search),
    ...formatQueries(row.context),
    row.hostileMax.toFixed(0),
    row.fillPerPack?.toFixed(1) ?? '',
  ])
  const times = ['search p50', 'p99', 'processor', 'context p50', 'p99', 'processor', 'slowest hostile']
  const sizes = scale.map(({ database, textBytes, tables }) => [
    database,
    megabytes(textBytes),
    ...['search_entries', 'search_postings', 'search_terms', 'outlines', 'section_texts'].map((name) =>
      megabytes(tables.find(({ table }) => table === name)?.bytes ?? 0),
    ),
    (tables.reduce((sum, { bytes }) => sum + bytes, 0) / textBytes).toFixed(2),
  ])
  const tables = ['database', 'text', 'entries', 'postings', 'terms', 'outlines', 'texts', 'all ÷ text']
  const published = scale.flatMap(({ database, publish }) =>
    publish === null
      ? []
      : [
          `${database}: a document is built and committed in ${publish.build.toFixed(0)} + ${publish.commit.toFixed(0)} ms, without the index in ` +
            `${publish.build.toFixed(0)} + ${publish.plainCommit.toFixed(0)} (${publish.ratio.toFixed(2)}).\n`,
        ],
  )
  return `## Many packs

Milliseconds a query, one after another, in a thread as a server has it; contexts within 2,000 tokens; processor time in all threads of the
process (without that of Postgres). Filled in releases of 250 packs.

${formatTable(['database', 'packs', 'sections', ...times, 'release, ms a pack'], rows)}
Bytes on disk with indexes, after a checkpoint or vacuum:

${formatTable(tables, sizes)}
${published.join('\n')}`
}

function formatQueries({ p50, p99, processor }: QueryFigures): string[] {
  return [p50, p99, processor].map((ms) => ms.toFixed(1))
}

function formatLoad({ packs, alone, beside, ratio, searches }: LoadFigures): string {
  return `
## Beside searching clients

A server on SQLite with ${packs} packs, eight clients that request one pack again and again, and eight that search: ${alone.toFixed(0)} requests a
second alone, ${beside.toFixed(0)} beside ${searches.toFixed(0)} searches a second (${ratio.toFixed(2)}).
`
}
