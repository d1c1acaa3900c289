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
import { countPrompt, estimateDense } from './final-figures.ts'
import { createRequests, failedInput, type BuildRunOptions, type BuildRequest } from './create-requests.ts'
import { type BuildExtras, hasTables, reportCache, reportResults } from './report-results.ts'
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
  const written = await buildAndWrite(requests.good, means, createPackWriter(target, guard), options)
  const unread = [...requests.bad, ...found.failures.map(failedInput)]
  const results = [...written, ...unread.map(createPackWriter(target, guard))]
  const report = options.report === undefined ? {} : await tryWriteReport(results, options.report, target)
  const saved = written.filter(({ status }) => status !== 'failed')
  const records = updateRecords(target, found, saved, options.clean ?? false)
  reportCache(cache?.close(), target, options)
  const prompt = options.json === true ? await countPrompt(written, means) : undefined
  // After a failure there are other things to do than to save more.
  const isEstimated = hasTables(options) && results.every(({ status }) => status !== 'failed')
  const estimate = isEstimated ? await estimateDense(requests.good, written, means) : undefined
  await pool.close()
  const { leftOut, messages } = found
  const extras = { leftOut, messages, records, ...report, ...(prompt && { prompt }) }
  return reportResults(results, target, options, { ...extras, ...(estimate && { estimate }) })
}

export function openCache(cwd: string, { cache }: BuildRunOptions): BuildCache | undefined {
  return cache === false ? undefined : openBuildCache(findCacheFolder(cwd))
}

/** Builds packs, and writes each as it is built, in order. */
async function buildAndWrite(
  requests: readonly BuildRequest[],
  means: BuildMeans,
  write: (result: BuildResult) => WrittenResult,
  options: BuildRunOptions,
): Promise<readonly WrittenResult[]> {
  const progress = startProgress('building', requests.length, options.json === true || options.quiet === true)
  const written: WrittenResult[] = []
  await buildInOrder(requests, means, {
    onMissing: ({ size }) => progress.expect(size),
    onBuilt: ({ size }) => progress.advance(size),
    onReady: (result, uses) => written.push(write(validateResult(result, uses, options.minSavings))),
  })
  progress.stop()
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
