import { type CliError, exitStatus, type ExitStatus } from '../cli-error.ts'
import { describeLeftOut, type Diagnostic } from '../output/diagnostic.ts'
import type { WrittenResult } from '../output/build-result.ts'
import { countDiagnostics, reportDiagnostics } from '../output/report-diagnostics.ts'
import { reportError } from '../output/report-error.ts'
import {
  escapeControls,
  formatPath,
  styleNote,
  writeJson,
  writeNote,
  writeResult,
} from '../output/terminal.ts'
import type { CacheFigures } from './build-cache.ts'
import type { BuildRunOptions } from './read-source.ts'
import {
  createBuildTable,
  describeBuild,
  describeWritten,
  explainBuild,
  explainCounts,
  type BuildExtras,
} from './report-build.ts'
import type { GonePack, RecordUpdate } from './pack-records.ts'
import type { WriteTarget } from './write-packs.ts'

/**
 * Prints diagnostics and what was written, or one JSON document, and returns the exit status. The
 * table was printed before.
 */
export function reportResults(
  results: readonly WrittenResult[],
  target: WriteTarget,
  options: BuildRunOptions,
  extras: BuildExtras = {},
): ExitStatus {
  const messages = [
    ...dropRepeated(results.flatMap((result) => result.messages)),
    ...(extras.messages ?? []),
    ...describeLeftOut(extras.leftOut ?? [], options.verbose),
  ]
  if (options.json) {
    const { isOverLimit } = countDiagnostics(messages, options)
    writeJson(describeBuild(results, extras, isOverLimit))
    return decideStatus(results, extras.failure, isOverLimit)
  }
  const hasText = hasTables(options)
  const { isOverLimit } = reportDiagnostics(messages, options)
  if (hasText) printWritten(results, extras)
  if (hasText && extras.records !== undefined) reportRecords(extras.records, target)
  reportFailures(results, extras.failure)
  return decideStatus(results, extras.failure, isOverLimit)
}

/** Tells whether tables are printed: not with `--json` or `--quiet`. */
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

/** Prints the table of results that are all known. */
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

/** Most names that are printed; the others are only counted. */
const MOST_NAMES = 10

function joinNames(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES
  return rest <= 0 ? names.join(', ') : `${names.slice(0, MOST_NAMES).join(', ')} and ${rest} more`
}

/** An error of the output folder is the same object in every result that it concerns. */
function dropRepeated(messages: readonly Diagnostic[]): Diagnostic[] {
  return [...new Set(messages)]
}

function decideStatus(
  results: readonly WrittenResult[],
  failure: CliError | undefined,
  isOverLimit: boolean,
): ExitStatus {
  const messages = results.flatMap((result) => result.messages)
  if (messages.some(({ rule }) => rule === 'internal')) return exitStatus.internal
  if (failure) return failure.status
  const hasFailed = isOverLimit || results.some(({ status }) => status === 'failed')
  return hasFailed ? exitStatus.findings : exitStatus.done
}
