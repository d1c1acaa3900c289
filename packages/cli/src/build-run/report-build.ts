import { dirname } from 'node:path'
import { INSTRUCTION_TOKENS } from '@packs/codec/internal'
import type { CliError } from '../cli-error.ts'
import { countKinds, type LeftOut, type Diagnostic } from '../output/diagnostic.ts'
import { NO_FIGURES, type WrittenReport, type WrittenResult } from '../output/build-result.ts'
import { formatCount, formatSaved, formatTable, styleResult } from '../output/terminal.ts'
import { describeError } from '../output/report-error.ts'
import {
  describePromptCount,
  type PromptCount,
  describeEstimate,
  type SchemeEstimate,
} from './final-figures.ts'
import type { RecordUpdate } from './pack-records.ts'

/** Files that a build wrote besides the packs. */
export interface BuildExtras {
  readonly report?: WrittenReport
  /** Why the report could not be written. */
  readonly failure?: CliError
  /** Sources that the search skipped. */
  readonly leftOut?: readonly LeftOut[]
  /** Messages about the search for sources itself. */
  readonly messages?: readonly Diagnostic[] | undefined
  /** Packs of earlier builds that were found or removed. */
  readonly records?: RecordUpdate
  /** What all packs cost in one prompt. */
  readonly prompt?: PromptCount
  /** What denser schemes would save. */
  readonly estimate?: SchemeEstimate
}

/** Returns the document of `pack build --json`. */
export function describeBuild(
  results: readonly WrittenResult[],
  { report, failure, leftOut = [], messages: all = [], records, prompt, estimate }: BuildExtras,
  isOverLimit: boolean,
): unknown {
  return {
    ok: !isOverLimit && failure === undefined && results.every(({ status }) => status !== 'failed'),
    packs: results.map(({ pack, file, shown, status, messages }) => {
      const names = { slug: null, file, source: shown, status }
      return { ...names, ...(pack ?? NO_FIGURES), round_trip: pack !== null, messages }
    }),
    ...(report && { report }),
    ...(leftOut.length > 0 && { left_out: Object.fromEntries(countKinds(leftOut)) }),
    ...(all.length > 0 && { messages: all }),
    ...(records && records.gone.length > 0 && { gone: records.gone }),
    ...(records && records.others.length > 0 && { others: records.others }),
    ...(prompt && { prompt: describePromptCount(prompt) }),
    ...(estimate && { estimate: describeEstimate(estimate) }),
    ...(failure && { error: describeError(failure) }),
  }
}

const COLUMNS = ['pack', '>net saved', '>source', '>content', '>header', 'scheme']

/** A table whose rows are printed as they come. */
export interface BuildTable {
  /** Prints a row for a result with a pack that is not failed; nothing for others. */
  readonly add: (result: WrittenResult) => void
  /** Prints the total, if there are several rows. */
  readonly end: () => void
}

/**
 * Creates the table of tokens, net savings first. Column widths depend on the layout alone, so the
 * text is the same whatever is built first.
 *
 * @param tokens most tokens of all sources together; a guess that is too low costs only alignment
 */
export function createBuildTable(
  print: (line: string) => void,
  slugs: readonly string[],
  tokens: number,
): BuildTable {
  const slugWidth = Math.max('total'.length, ...slugs.map(({ length }) => length))
  const countWidth = formatCount(tokens).length
  const widths = [slugWidth, 0, countWidth, countWidth, countWidth, 0]
  const printRow = (...cells: string[]): void => print(formatTable(COLUMNS, [cells], widths)[1]!)
  const sum = { source: 0, content: 0, header: 0 }
  let rows = 0
  return {
    add({ pack, status }) {
      if (pack === null || status === 'failed') return
      if (rows++ === 0) print(styleResult('bold', formatTable(COLUMNS, [], widths)[0]!))
      sum.source += pack.uncompressed_estimate
      sum.content += pack.token_count
      sum.header += pack.rosetta_tokens
      const counts = [pack.uncompressed_estimate, pack.token_count, pack.rosetta_tokens]
      const saved = formatSaved(pack.net_savings_pct, pack.compression)
      printRow(pack.slug, saved, ...counts.map(formatCount), pack.compression)
    },
    end() {
      if (rows < 2) return
      const percent = sum.source === 0 ? 0 : 100 * (1 - (sum.content + sum.header) / sum.source)
      const counts = [sum.source, sum.content, sum.header].map(formatCount)
      printRow('total', formatSaved(percent, ''), ...counts, `${rows} packs`)
    },
  }
}

/**
 * Returns a line with the output folder and the number of changed packs, or null if no files were
 * written.
 */
export function describeWritten(results: readonly WrittenResult[]): string | null {
  const files = results.filter(({ file }) => file !== null)
  const written = files.filter(({ status }) => status === 'written').length
  const [first] = files
  if (first === undefined) return null
  if (files.length === 1) return written === 1 ? `wrote ${first.file}` : `${first.file} is unchanged`
  const packs = written === 1 ? '1 pack' : `${written} packs`
  return `wrote ${packs} to ${dirname(first.file!)}, ${files.length - written} unchanged`
}

/** Sources with fewer tokens repeat too little to save much. */
const SHORT_SOURCE_TOKENS = 1200

/** Returns a note that short sources save little, or null if there are none. */
export function explainBuild(results: readonly WrittenResult[]): string | null {
  const short = results.filter(
    ({ pack }) => pack !== null && pack.uncompressed_estimate < SHORT_SOURCE_TOKENS,
  ).length
  if (short === 0) return null
  const subject = short === 1 ? 'one source has' : `${short} sources have`
  return `${subject} fewer than ${formatCount(SHORT_SOURCE_TOKENS)} tokens: short documents repeat little and save little; join related documents to save more`
}

/** Returns a note that says what the table counts, or null if no pack has a header. */
export function explainCounts(results: readonly WrittenResult[]): string | null {
  const packs = results.flatMap(({ pack }) => (pack === null || pack.compression === 'none' ? [] : pack))
  if (packs.length === 0) return null
  const names = [...new Set(packs.map(({ tokenizer }) => tokenizer))]
  return `tokens of ${names.join(' and ')}, content and header; a prompt pays ${INSTRUCTION_TOKENS} more, once, for the instruction`
}
