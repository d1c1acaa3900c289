import { formatTable } from '../markdown-table.ts'
import { medianOf } from '../median.ts'
import { judgeOptimum, type OptimumRow } from './measure-optimum.ts'

const KB = 1000

/** Formats rows as markdown: medians by scheme, faults, and one table per scheme. */
export function formatOptimum(rows: readonly OptimumRow[]): string {
  const schemes = [...new Set(rows.map(({ scheme }) => scheme))]
  const sections = [
    '# Selection and bound compared with the true optimum',
    'Savings of the selected entries (value) and the bound that the compressor reports, in tokens of its cost model, compared with ' +
      'the optimum of the same problem, found by HiGHS. Medians are over documents whose optimum was verified and is not 0.',
    formatTable(
      [
        'scheme',
        'documents',
        'verified',
        'value ÷ optimum',
        'least',
        'bound ÷ optimum',
        'most',
        'value ÷ bound',
        'faults',
      ],
      schemes.map((scheme) =>
        summarizeScheme(
          scheme,
          rows.filter((row) => row.scheme === scheme),
        ),
      ),
    ),
    ...listFaults(rows),
    ...schemes.flatMap((scheme) => [`## ${scheme}`, formatRows(rows.filter((row) => row.scheme === scheme))]),
  ]
  return `${sections.join('\n\n')}\n`
}

function summarizeScheme(scheme: string, rows: readonly OptimumRow[]): string[] {
  const verified = rows.filter(isProven)
  const judged = verified.filter(({ reached }) => reached > 0)
  const values = judged.map(({ value, reached }) => value / reached)
  const bounds = judged.map(({ bound, reached }) => bound / reached)
  return [
    scheme,
    String(rows.length),
    String(verified.length),
    ratio(medianOf(values)),
    ratio(Math.min(...values)),
    ratio(medianOf(bounds)),
    ratio(Math.max(...bounds)),
    ratio(medianOf(judged.map(({ value, bound }) => value / bound))),
    String(rows.filter((row) => judgeOptimum(row).length > 0).length),
  ]
}

function listFaults(rows: readonly OptimumRow[]): string[] {
  const faults = rows.flatMap((row) =>
    judgeOptimum(row).map((fault) => `- ${row.file}, ${row.scheme}: ${fault}`),
  )
  return faults.length === 0 ? [] : ['## Faults', faults.join('\n')]
}

function formatRows(rows: readonly OptimumRow[]): string {
  return formatTable(
    [
      'document',
      'KB',
      'candidates',
      'occurrences',
      'value',
      'bound',
      'optimum',
      'without floors',
      'relaxed',
      'value ÷ optimum',
      'bound ÷ optimum',
      's',
    ],
    rows.map((row) => [
      row.file,
      (row.bytes / KB).toFixed(1),
      count(row.phrases),
      count(row.slots),
      count(row.value),
      row.bound.toFixed(2),
      formatRange(row.reached, row.limit),
      formatRange(row.freeReached, row.freeLimit),
      row.relaxed?.toFixed(2) ?? '–',
      isProven(row) && row.reached > 0 ? ratio(row.value / row.reached) : '–',
      isProven(row) && row.reached > 0 ? ratio(row.bound / row.reached) : '–',
      row.seconds.toFixed(1),
    ]),
  )
}

function isProven({ reached, limit }: OptimumRow): boolean {
  return reached === limit
}

function formatRange(reached: number, limit: number | null): string {
  if (reached === limit) return count(reached)
  return limit === null ? `≥ ${count(reached)}` : `${count(reached)} to ${count(Math.floor(limit))}`
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

function ratio(value: number): string {
  return Number.isFinite(value) ? value.toFixed(4) : '–'
}
