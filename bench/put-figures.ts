import { formatTable } from './markdown-table.ts'
import type { BenchResults } from './results.ts'

const BEGIN = '<!-- bench: begin -->'
const END = '<!-- bench: end -->'

/**
 * Returns a page with the figures of a full run between its two `bench` comments.
 *
 * @throws {Error} when the comments are not there
 */
export function putFigures(page: string, results: BenchResults): string {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin < 0 || end < begin) throw new Error(`The page has no ${BEGIN} followed by ${END}`)
  return `${page.slice(0, begin + BEGIN.length)}\n\n${formatFigures(results)}\n\n${page.slice(end)}`
}

/** Formats net savings by size, compress time and decode speed as one table and one sentence. */
export function formatFigures({ savings, speed, decode, corpus }: BenchResults): string {
  const buckets = savings[0]?.buckets ?? []
  const table = formatTable(
    ['net saved', ...buckets.map(({ bucket }) => bucket), 'all tokens', 'time'],
    savings.map(({ variant, buckets: sizes, pooled }) => [
      variant,
      ...sizes.map(({ documents, net }) => (documents === 0 ? '–' : `${net.toFixed(1)} %`)),
      `${pooled.net.toFixed(1)} %`,
      `${speed.find((one) => one.variant === variant)?.ratio.toFixed(1) ?? '–'}×`,
    ]),
  )
  const restored = savings.every(({ roundTripFailures }) => roundTripFailures === 0)
  const sentences = [
    `Mean over ${corpus.documents} documents, header counted; _time_ is compressing ÷ tokenizing once, at 60-125 KB.`,
    restored ? 'Every document came back byte for byte.' : 'Not every document came back.',
    decode.length > 0
      ? `Decoding ran at ${formatRange(decode.map(({ decodeMBps }) => decodeMBps))} MB/s.`
      : '',
  ]
  return `${table}\n\n${sentences.filter(Boolean).join('\n')}`
}

function formatRange(values: readonly number[]): string {
  const [least, most] = [Math.min(...values).toFixed(0), Math.max(...values).toFixed(0)]
  return least === most ? least : `${least}-${most}`
}
