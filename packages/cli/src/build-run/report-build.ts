import { dirname } from 'node:path'
import type { CliError } from '../cli-error.ts'
import { formatCount, formatPercent, formatTable, type Column } from '../output/format-table.ts'
import { describeError } from '../output/report-error.ts'
import { styleResult } from '../output/terminal.ts'
import type { WrittenReport } from '../report/write-report.ts'
import { describeShared } from './report-shared.ts'
import type { WrittenResult } from '../output/build-result.ts'
import type { WrittenRosetta } from './write-shared.ts'

/** What was written beside packs. */
export interface Extras {
  readonly header?: WrittenRosetta | null
  readonly page?: WrittenReport
  /** Why the page was not written. */
  readonly failure?: CliError
}

/** Makes the document of `pack build --json`. */
export function describeBuild(results: readonly WrittenResult[], { header, page, failure }: Extras): unknown {
  return {
    ok: failure === undefined && results.every(({ status }) => status !== 'failed'),
    packs: results.map(({ pack, file, shown, status, messages }) => ({
      slug: pack?.slug ?? null,
      file,
      source: shown,
      status,
      version: pack?.version ?? null,
      compression: pack?.compression ?? null,
      tokenizer: pack?.tokenizer ?? null,
      uncompressed_estimate: pack?.uncompressed_estimate ?? null,
      token_count: pack?.token_count ?? null,
      rosetta_tokens: pack?.rosetta_tokens ?? null,
      savings_pct: pack?.savings_pct ?? null,
      net_savings_pct: pack?.net_savings_pct ?? null,
      entries: pack?.entries ?? null,
      optimality: pack?.optimality ?? null,
      round_trip: pack !== null,
      messages,
    })),
    ...(header && { shared: describeShared(header) }),
    ...(page && { report: page }),
    ...(failure && { error: describeError(failure) }),
  }
}

const COLUMNS: readonly Column[] = [
  { heading: 'pack', align: 'left' },
  { heading: 'net saved', align: 'right' },
  { heading: 'source', align: 'right' },
  { heading: 'content', align: 'right' },
  { heading: 'header', align: 'right' },
  { heading: 'scheme', align: 'left' },
]

/** Formats what was built as a table in tokens, the net figure first, with a line for all where there are several. */
export function formatBuild(results: readonly WrittenResult[]): string[] {
  const good = results.filter(({ pack, status }) => pack !== null && status !== 'failed')
  if (good.length === 0) return []
  const sum = { source: 0, content: 0, header: 0 }
  const rows = good.map(({ pack }) => {
    sum.source += pack!.uncompressed_estimate
    sum.content += pack!.token_count
    sum.header += pack!.rosetta_tokens
    return [
      pack!.slug,
      formatSaved(pack!.net_savings_pct, pack!.compression),
      formatCount(pack!.uncompressed_estimate),
      formatCount(pack!.token_count),
      formatCount(pack!.rosetta_tokens),
      pack!.compression,
    ]
  })
  if (rows.length > 1) {
    const percent = sum.source === 0 ? 0 : 100 * (1 - (sum.content + sum.header) / sum.source)
    const counts = [sum.source, sum.content, sum.header].map(formatCount)
    rows.push(['total', formatSaved(percent, ''), ...counts, `${good.length} packs`])
  }
  const [heading = '', ...lines] = formatTable(COLUMNS, rows)
  return [styleResult('bold', heading), ...lines]
}

/** Says where packs were written, and how many had changed. Nothing where none were to be written. */
export function describeWritten(results: readonly WrittenResult[]): string | null {
  const files = results.filter(({ file }) => file !== null)
  const written = files.filter(({ status }) => status === 'written').length
  const [first] = files
  if (first === undefined) return null
  if (files.length === 1) return written === 1 ? `wrote ${first.file}` : `${first.file} is unchanged`
  const packs = written === 1 ? '1 pack' : `${written} packs`
  return `wrote ${packs} to ${dirname(first.file!)}, ${files.length - written} unchanged`
}

/** Tokens of a source below which there is little to save. */
const SMALL = 1200

/** Says what the figures alone do not: that little can be saved on short sources. Nothing where there are none. */
export function explainBuild(results: readonly WrittenResult[]): string | null {
  const small = results.filter(({ pack }) => pack !== null && pack.uncompressed_estimate < SMALL).length
  if (small === 0) return null
  const subject = small === 1 ? 'one source has' : `${small} sources have`
  return `${subject} fewer than ${formatCount(SMALL)} tokens: short documents repeat little, so little can be saved; joining related ones gives more`
}

function formatSaved(percent: number, scheme: string): string {
  return scheme === 'none' || percent === 0 ? 'none' : formatPercent(percent)
}
