import { setImmediate } from 'node:timers/promises'
import { CliError } from '../cli-error.ts'
import { exitStatus, type ExitStatus } from '../exit-status.ts'
import { describeLeftOut } from '../input/describe-left-out.ts'
import type { FoundFiles } from '../input/find-files.ts'
import { MAX_SOURCE_BYTES, readBounded } from '../input/read-bounded.ts'
import type { BuildResult, WrittenResult } from '../output/build-result.ts'
import { errorDiagnostic } from '../output/diagnostic.ts'
import { startProgress } from '../output/progress.ts'
import {
  countDiagnostics,
  isDocumentFormat,
  reportDiagnostics,
  type DiagnosticOptions,
} from '../output/report-diagnostics.ts'
import { reportError } from '../output/report-error.ts'
import { styleNote, writeJson, writeNote, writeResult } from '../output/terminal.ts'
import { createOverwriteGuard } from '../output/write-file.ts'
import type { BuildOverrides, BuildRequest } from './build-source.ts'
import { createBuildPool, type BuildPool } from './create-build-pool.ts'
import {
  describeBuild,
  describeWritten,
  explainBuild,
  formatBuild,
  formatShared,
  type BuildExtras,
} from './report-build.ts'
import { shareRosetta, type SharedResults } from './share-rosetta.ts'
import { validateResults } from './validate-results.ts'
import { writePacks, writeSharedRosetta, type WriteTarget } from './write-packs.ts'

/** Options of one build: of its packs, and of its output. */
export interface BuildRunOptions extends BuildOverrides, DiagnosticOptions {
  /** Lowest net savings of a pack, in percent. */
  readonly minSavings?: number
  readonly json?: boolean
  /** Longest build of one source, in seconds. */
  readonly buildSeconds: number
  /** Name or slug of the domain whose packs share a header. */
  readonly sharedRosetta?: string
  /** Path of the HTML report. */
  readonly report?: string
}

/** Builds sources, writes and reports the packs, and returns the exit status. */
export async function runBuild(
  found: FoundFiles,
  target: WriteTarget,
  options: BuildRunOptions,
): Promise<ExitStatus> {
  const requests = await createRequests(found, options)
  const pool = createBuildPool(options.buildSeconds)
  const { results: own, shared } = await buildRequests(pool, requests.good, options)
  await pool.close()
  await yieldToSignals()
  const results = validateResults(
    [...own, ...requests.bad, ...found.failures.map(failedInput)],
    options.minSavings,
  )
  const guard = createOverwriteGuard(found.files)
  const header = shared && writeSharedRosetta(shared, target, guard)
  const written = writePacks(results, target, guard)
  const { leftOut } = found
  if (options.report === undefined) return reportResults(written, target, options, { header, leftOut })
  return reportResults(written, target, options, {
    header,
    leftOut,
    ...(await tryWriteReport(written, options.report, target)),
  })
}

/**
 * Lets a signal that arrived during a build end the program before anything is written. The first turn of the event loop may
 * end before it polls for signals; the second cannot.
 */
async function yieldToSignals(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

async function buildRequests(
  pool: BuildPool,
  requests: readonly BuildRequest[],
  { json, quiet, sharedRosetta }: BuildRunOptions,
): Promise<SharedResults> {
  const progress = startProgress('building', requests.length, json === true || quiet === true)
  const results = await pool.build(requests, progress.advance)
  progress.stop()
  if (sharedRosetta === undefined) return { results, shared: null }
  return shareRosetta(pool, sharedRosetta, requests, results)
}

/** The packs are already written, so an error here is reported together with them. */
async function tryWriteReport(
  results: readonly WrittenResult[],
  path: string,
  { cwd }: WriteTarget,
): Promise<Pick<BuildExtras, 'report' | 'failure'>> {
  const { writeReport } = await import('../report/write-report.ts')
  try {
    return { report: await writeReport(results, path, cwd) }
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure
    return { failure }
  }
}

/** Prints diagnostics and tables, or the JSON document, and returns the exit status. */
export function reportResults(
  results: readonly WrittenResult[],
  target: WriteTarget,
  options: BuildRunOptions,
  extras: BuildExtras = {},
): ExitStatus {
  const messages = [
    ...results.flatMap((result) => result.messages),
    ...describeLeftOut(extras.leftOut ?? [], options.verbose),
  ]
  if (options.json) {
    const { isOverLimit } = countDiagnostics(messages, options)
    writeJson(describeBuild(results, extras, isOverLimit))
    return decideStatus(results, extras.failure, isOverLimit)
  }
  if (isDocumentFormat(options) || options.quiet) {
    const { isOverLimit } = reportDiagnostics(messages, options)
    reportFailures(results, extras.failure)
    return decideStatus(results, extras.failure, isOverLimit)
  }
  // Warnings and errors stand at the end, where a terminal shows them.
  printTables(results, target, extras)
  const { isOverLimit } = reportDiagnostics(messages, options)
  printWritten(results, extras)
  reportFailures(results, extras.failure)
  return decideStatus(results, extras.failure, isOverLimit)
}

function printTables(
  results: readonly WrittenResult[],
  { folder }: WriteTarget,
  { header }: BuildExtras,
): void {
  const print = folder === '-' ? writeNote : (line: string): void => writeResult(`${line}\n`)
  for (const line of formatBuild(results)) print(line)
  for (const line of header ? ['', ...formatShared(header)] : []) print(line)
}

function printWritten(results: readonly WrittenResult[], { header, report }: BuildExtras): void {
  const written = describeWritten(results)
  if (written !== null) writeNote(written)
  for (const extra of [header, report]) {
    if (extra?.file)
      writeNote(extra.status === 'written' ? `wrote ${extra.file}` : `${extra.file} is unchanged`)
  }
  const explanation = explainBuild(results)
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

/** Picks the options that override front matter. */
export function pickOverrides({ scheme, code, tokenizer, budget, effort }: BuildRunOptions): BuildOverrides {
  return {
    ...(scheme !== undefined && { scheme }),
    ...(code !== undefined && { code }),
    ...(tokenizer !== undefined && { tokenizer }),
    ...(budget !== undefined && { budget }),
    ...(effort !== undefined && { effort }),
  }
}

interface Requests {
  readonly good: BuildRequest[]
  readonly bad: BuildResult[]
}

/** Reads stdin here, because a worker thread cannot. */
async function createRequests({ files }: FoundFiles, options: BuildRunOptions): Promise<Requests> {
  const overrides = pickOverrides(options)
  const requests: Requests = { good: [], bad: [] }
  for (const { path, shown, given = {} } of files) {
    const request = { path, shown, overrides, given }
    if (path !== '-') requests.good.push(request)
    else {
      try {
        requests.good.push({ ...request, bytes: await readBounded(path, MAX_SOURCE_BYTES) })
      } catch (error) {
        requests.bad.push(failedInput(error as CliError))
      }
    }
  }
  return requests
}

/** Returns the failed result of an input that is not a source. */
export function failedInput({ code, message, hint, file }: CliError): BuildResult {
  const shown = file ?? '<stdin>'
  return {
    path: shown,
    shown,
    pack: null,
    slugPosition: null,
    text: null,
    messages: [errorDiagnostic(shown, code, message, hint)],
  }
}
