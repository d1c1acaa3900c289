import { describeRejection, type Rejection } from '@packs/codec/build'
import { cutRatio, formatCount, formatPercent, formatWithHeading } from '../output/terminal.ts'
import type { EntryMeasure, TokenizerCounts } from '../measure/measure-pack.ts'
import type { Rebuild } from './rebuild-pack.ts'

/** Longest phrase that is shown in full, in UTF-16 units. */
const MAX_EXPANSION_LENGTH = 60

/** Formats the counts of a pack in each tokenizer. */
export function formatTokenizers(counts: readonly TokenizerCounts[]): string[] {
  const rows = counts.map(({ tokenizer, source, content, header, net_savings_pct: net }) => [
    tokenizer,
    ...[source, content, header].map(formatCount),
    formatPercent(net),
  ])
  return formatWithHeading(['tokenizer', '>source', '>content', '>header', '>net saved'], rows)
}

/** Formats how close the dictionary is to the optimum, if the rebuild gave the same pack. */
export function formatRebuild(
  { scheme, code, isIdentical, isUncompressed, compression }: Rebuild,
  paid: number,
): string[] {
  const options = `${scheme}${code ? ' with code' : ''}`
  const { optimality, tokens } = compression
  if (isIdentical) {
    const ratio = (100 * cutRatio(optimality)).toFixed(2)
    return [
      `optimality: ${ratio} % of the bound for every dictionary (compressed again as ${options}: the same pack)`,
    ]
  }
  const again = formatCount(tokens.content + tokens.rosetta)
  if (isUncompressed) {
    return [
      `optimality: unknown. The pack is uncompressed and does not record which scheme found no savings; ${options} would take ${again} tokens instead of ${formatCount(paid)}.`,
    ]
  }
  return [
    `optimality: unknown. Compressing the source again as ${options} gives a different pack: ${again} tokens instead of ${formatCount(paid)}.`,
    'It was built with a glossary, another effort or another version, which a pack does not record.',
  ]
}

/** Formats entries as a table. */
export function formatEntries(entries: readonly EntryMeasure[]): string[] {
  const rows = entries.map(({ term, expansion, uses, references, gross, header, net }) => [
    term,
    ...[uses, references, gross, header, net].map(formatCount),
    quote(expansion),
  ])
  return formatWithHeading(['term', '>uses', '>refs', '>gross', '>header', '>net', 'expansion'], rows)
}

/** Formats rejected phrases, each with the reason on a line of its own. */
export function formatRejected(rejected: readonly Rejection[]): string[] {
  const columns = ['>uses', '>gross', '>header', '>net', 'rejected']
  const rows = rejected.map(({ phrase, uses, gross, header, net }) => [
    ...[uses, gross, header, net].map(formatCount),
    quote(phrase),
  ])
  const [heading = '', ...lines] = formatWithHeading(columns, rows)
  return [
    heading,
    ...lines.flatMap((line, at) => [line, `${' '.repeat(INDENT)}${describeRejection(rejected[at]!)}`]),
  ]
}

const INDENT = 6

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_EXPANSION_LENGTH ? `${text.slice(0, MAX_EXPANSION_LENGTH)}…` : text)
}
