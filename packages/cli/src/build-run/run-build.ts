import { CliError, type ExitStatus } from '../cli-error.ts'
import type { FoundFiles } from '@packs/files'
import type { BuildResult, WrittenResult } from '../output/build-result.ts'
import { startProgress } from '../output/progress.ts'
import { createOverwriteGuard } from '../output/write-file.ts'
import {
  findCacheFolder,
  openBuildCache,
  type BuildCache,
  buildInOrder,
  type BuildMeans,
} from './build-in-order.ts'
import { createBuildPool } from './create-build-pool.ts'
import {
  countPrompt,
  formatPromptCommand,
  formatPromptCount,
  estimateDense,
  formatEstimate,
} from './final-figures.ts'
import { createRequests, failedInput, type BuildRunOptions, type BuildRequest } from './create-requests.ts'
import {
  createBuildTable,
  type BuildExtras,
  type BuildTable,
  createPrinter,
  hasTables,
  reportCache,
  reportResults,
} from './report-results.ts'
import { updateRecords, validateResult, createPackWriter, type WriteTarget } from './write-packs.ts'

export async function runBuild(
  found: FoundFiles,
  target: WriteTarget,
  options: BuildRunOptions,
): Promise<ExitStatus> {
  const requests = await createRequests(found, options)
  const pool = createBuildPool(options.buildSeconds)
  const cache = openCache(target.cwd, options)
  const guard = createOverwriteGuard(found.files)
  const means = { pool, cache }
  const written = await buildAndWrite(requests.good, means, createPackWriter(target, guard), target, options)
  const unread = [...requests.bad, ...found.failures.map(failedInput)]
  const results = [...written, ...unread.map(createPackWriter(target, guard))]
  const report = options.report === undefined ? {} : await tryWriteReport(results, options.report, target)
  const saved = written.filter(({ status }) => status !== 'failed')
  const records = updateRecords(target, found, saved, options.clean ?? false)
  reportCache(cache?.close(), target, options)
  const { leftOut, messages } = found
  const extras = { leftOut, messages, records, ...report }
  const isJson = options.json ?? false
  const print = createPrinter(target)
  // Without --json the rest is printed first, because composing a prompt may take as long as the build.
  const status = isJson ? undefined : reportResults(results, target, options, extras)
  if (!isJson && !hasTables(options)) {
    await pool.close()
    return status!
  }
  const prompt = await countPrompt(written, means, isJson)
  if (prompt !== undefined && !isJson) print(formatPromptCount(prompt, formatPromptCommand(written, target)))
  const estimate = isJson ? undefined : await estimateDense(requests.good, written, means)
  if (estimate !== undefined) print(formatEstimate(estimate))
  await pool.close()
  return status ?? reportResults(results, target, options, { ...extras, ...(prompt && { prompt }) })
}

export function openCache(cwd: string, { cache }: BuildRunOptions): BuildCache | undefined {
  return cache === false ? undefined : openBuildCache(findCacheFolder(cwd))
}

/** Builds and writes packs. Packs and rows of the table are written as they are built, in order. */
async function buildAndWrite(
  requests: readonly BuildRequest[],
  means: BuildMeans,
  write: (result: BuildResult) => WrittenResult,
  target: WriteTarget,
  options: BuildRunOptions,
): Promise<readonly WrittenResult[]> {
  const progress = startProgress('building', 0, options.json === true || options.quiet === true)
  const printLine = createPrinter(target)
  const print = (line: string): void => {
    progress.hide()
    printLine(line)
  }
  const written: WrittenResult[] = []
  const tokens = requests.reduce((sum, { size }) => sum + size, 0) / 2
  let table: BuildTable | undefined
  await buildInOrder(requests, means, {
    onMissing: ({ size }) => progress.expect(size),
    onBuilt: ({ size }) => progress.advance(size),
    onReady(result, uses) {
      const slugs = [...uses.keys()]
      table ??= createBuildTable(hasTables(options) ? print : () => undefined, slugs, tokens)
      const one = write(validateResult(result, uses, options.minSavings))
      written.push(one)
      table.add(one)
    },
  })
  progress.stop()
  table?.end()
  return written
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
