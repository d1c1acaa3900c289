import { type CliError, exitStatus, type ExitStatus, findStatus } from '../cli-error.ts'
import { countKinds, describeLeftOut, type Diagnostic, formatPath, type LeftOut } from '@packs/files'
import {
  type BuiltPack,
  type WrittenResult,
  NO_FIGURES,
  sumTokens,
  type WrittenReport,
} from '../output/build-result.ts'
import { isOverLimit, reportDiagnostics } from '../output/report-diagnostics.ts'
import { reportError, describeError } from '../output/report-error.ts'
import {
  escapeControls,
  styleNote,
  writeJson,
  writeNote,
  writeResult,
  formatCount,
  formatSaved,
  formatTable,
  styleResult,
} from '../output/terminal.ts'
import type { CacheFigures } from './build-in-order.ts'
import type { BuildRunOptions } from './create-requests.ts'
import type { GonePack, RecordUpdate, WriteTarget } from './write-packs.ts'
import { dirname } from 'node:path'
import { INSTRUCTION_TOKENS } from '@packs/codec/internal'
import { describePromptCount, type PromptCount } from './final-figures.ts'

/** Prints diagnostics and what was written, or one JSON document. The table was printed before. */
export function reportResults(
  results: readonly WrittenResult[],
  target: WriteTarget,
  options: BuildRunOptions,
  extras: BuildExtras = {},
): ExitStatus {
  const messages = [
    // An error of the output folder is the same object in every result that it concerns.
    ...new Set(results.flatMap((result) => result.messages)),
    ...(extras.messages ?? []),
    ...describeLeftOut(extras.leftOut ?? [], options.verbose),
  ]
  const hasTooMany = isOverLimit(messages, options)
  if (options.json) writeJson(describeBuild(results, extras, hasTooMany))
  else {
    reportDiagnostics(messages, options)
    if (hasTables(options)) printWritten(results, extras)
    if (hasTables(options) && extras.records !== undefined) reportRecords(extras.records, target)
    reportFailures(results, extras.failure)
  }
  return decideStatus(results, extras.failure, hasTooMany)
}

export function hasTables(options: BuildRunOptions): boolean {
  return !options.json && !options.quiet
}

function printWritten(results: readonly WrittenResult[], { report }: BuildExtras): void {
  const written = describeWritten(results)
  if (written !== null) writeNote(written)
  if (report !== undefined)
    writeNote(report.status === 'written' ? `wrote ${report.file}` : `${report.file} is unchanged`)
  for (const explanation of [explainCounts(results), explainBuild(results)])
    if (explanation !== null) writeNote(styleNote('dim', `note: ${explanation}`))
}

function reportFailures(results: readonly WrittenResult[], failure: CliError | undefined): void {
  const failed = results.filter(({ status }) => status === 'failed').length
  if (failed > 0) {
    const verb = failed === 1 ? 'was' : 'were'
    writeNote(styleNote('red', `${failed} of ${results.length} failed and ${verb} not written`))
  }
  if (failure) reportError(failure, false)
}

export function printTable(
  results: readonly WrittenResult[],
  target: WriteTarget,
  options: BuildRunOptions,
): void {
  if (!hasTables(options)) return
  const slugs = results.flatMap(({ pack }) => pack?.slug ?? [])
  const tokens = results.reduce((sum, { pack }) => sum + (pack?.uncompressed_estimate ?? 0), 0)
  const table = createBuildTable(createPrinter(target), slugs, tokens)
  for (const result of results) table.add(result)
  table.end()
}

/** Returns the function that prints lines of tables. They go to stderr if stdout gets a pack. */
export function createPrinter({ folder }: WriteTarget): (line: string) => void {
  return folder === '-' ? writeNote : (line) => writeResult(`${line}\n`)
}

/** Reports with `--verbose` what the cache saved. */
export function reportCache(
  figures: CacheFigures | undefined,
  { cwd }: WriteTarget,
  options: BuildRunOptions,
): void {
  if (figures === undefined || !options.verbose || !hasTables(options)) return
  const { folder, used, damaged, fault } = figures
  const broken = damaged === 0 ? '' : `, ${damaged} damaged and built again`
  const unwritable = fault === undefined ? '' : `; it cannot be written: ${fault}`
  const line = `note: build cache ${formatPath(folder, cwd)}: ${used} used${broken}${unwritable}`
  writeNote(styleNote('dim', escapeControls(line)))
}

/** Names the packs of earlier builds whose source is gone, and counts those of other inputs. */
export function reportRecords(
  { gone, others, faults }: RecordUpdate,
  { folder, cwd, isDryRun }: WriteTarget,
): void {
  const say = (line: string): void => writeNote(escapeControls(line))
  const list = (status: GonePack['status']): string[] =>
    gone.filter((pack) => pack.status === status).map(({ file }) => file)
  const removed = list('removed')
  if (removed.length > 0) {
    const verb = isDryRun ? 'would remove' : 'removed'
    say(`${verb} ${formatPacks(removed.length)} whose source is gone: ${joinNames(removed)}`)
  }
  const left = list('left')
  if (left.length > 0) {
    say(
      `note: the source of ${formatPacks(left.length)} is gone: ${joinNames(left)}; --clean removes ${left.length === 1 ? 'it' : 'them'}`,
    )
  }
  const changed = list('changed')
  if (changed.length > 0) {
    say(`note: kept ${joinNames(changed)}: the source is gone, but the pack was changed after it was built`)
  }
  const renamed = others.filter(({ now }) => now !== null)
  if (others.length > 0)
    say(`note: ${formatPath(folder, cwd)} also has ${formatPacks(others.length)} of other inputs`)
  if (renamed.length > 0) {
    const pairs = renamed.map(({ source, slug, now }) => `${source} (${slug}, now ${now})`)
    const files = renamed.length === 1 ? renamed[0]!.file : 'the earlier packs'
    say(`note: other inputs gave another slug to ${joinNames(pairs)}; remove ${files} unless both are wanted`)
  }
  for (const fault of faults) say(`note: ${fault}`)
}

function formatPacks(count: number): string {
  return count === 1 ? '1 pack' : `${count} packs`
}

const MOST_NAMES = 10

function joinNames(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES
  return rest <= 0 ? names.join(', ') : `${names.slice(0, MOST_NAMES).join(', ')} and ${rest} more`
}

function decideStatus(
  results: readonly WrittenResult[],
  failure: CliError | undefined,
  hasTooMany: boolean,
): ExitStatus {
  const messages = results.flatMap((result) => result.messages)
  if (messages.some(({ rule }) => rule === 'internal')) return exitStatus.internal
  if (failure) return findStatus(failure.code)
  const hasFailed = hasTooMany || results.some(({ status }) => status === 'failed')
  return hasFailed ? exitStatus.findings : exitStatus.done
}

/** Files that a build wrote besides the packs. */
export interface BuildExtras {
  readonly report?: WrittenReport
  readonly failure?: CliError
  readonly leftOut?: readonly LeftOut[]
  /** Messages about the search for sources itself. */
  readonly messages?: readonly Diagnostic[] | undefined
  readonly records?: RecordUpdate
  readonly prompt?: PromptCount
}

function describeBuild(
  results: readonly WrittenResult[],
  { report, failure, leftOut = [], messages: all = [], records, prompt }: BuildExtras,
  hasTooMany: boolean,
): unknown {
  return {
    ok: !hasTooMany && failure === undefined && results.every(({ status }) => status !== 'failed'),
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
 * Column widths depend on the layout alone, so the text is the same whatever is built first.
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
  const packs: BuiltPack[] = []
  return {
    add({ pack, status }) {
      if (pack === null || status === 'failed') return
      if (packs.length === 0) print(styleResult('bold', formatTable(COLUMNS, [], widths)[0]!))
      packs.push(pack)
      const counts = [pack.uncompressed_estimate, pack.token_count, pack.rosetta_tokens]
      const saved = formatSaved(pack.net_savings_pct, pack.compression)
      printRow(pack.slug, saved, ...counts.map(formatCount), pack.compression)
    },
    end() {
      if (packs.length < 2) return
      const { source, content, header, saved } = sumTokens(packs)
      const counts = [source, content, header].map(formatCount)
      printRow('total', formatSaved(saved, ''), ...counts, `${packs.length} packs`)
    },
  }
}

function describeWritten(results: readonly WrittenResult[]): string | null {
  const files = results.filter(({ file }) => file !== null)
  const written = files.filter(({ status }) => status === 'written').length
  const [first] = files
  if (first === undefined) return null
  if (files.length === 1) return written === 1 ? `wrote ${first.file}` : `${first.file} is unchanged`
  return `wrote ${formatPacks(written)} to ${dirname(first.file!)}, ${files.length - written} unchanged`
}

/** Sources with fewer tokens repeat too little to save much. */
const SHORT_SOURCE_TOKENS = 1200

/** Returns a note that terms save little in short sources, or null if there are none. */
function explainBuild(results: readonly WrittenResult[]): string | null {
  const isShort = ({ pack, scheme }: WrittenResult): boolean =>
    (pack?.uncompressed_estimate ?? Infinity) < SHORT_SOURCE_TOKENS &&
    (scheme === 'dense-2' || scheme === 'max-2')
  const short = results.filter(isShort).length
  if (short === 0) return null
  const subject = short === 1 ? 'one source has' : `${short} sources have`
  return `${subject} fewer than ${formatCount(SHORT_SOURCE_TOKENS)} tokens: short documents repeat little, so terms save little; join related documents to save more`
}

/** Returns a note that says what the table counts, or null if all packs have their sources. */
function explainCounts(results: readonly WrittenResult[]): string | null {
  const packs = results.flatMap(({ pack }) => (pack === null || pack.compression === 'none' ? [] : pack))
  if (packs.length === 0) return null
  const names = [...new Set(packs.map(({ tokenizer }) => tokenizer))]
  const hasHeaders = packs.some(({ rosetta_tokens }) => rosetta_tokens > 0)
  const rest = hasHeaders ? `; a prompt pays ${INSTRUCTION_TOKENS} more, once, for the instruction` : ''
  return `tokens of ${names.join(' and ')}, content and header${rest}`
}
