import { join, resolve, sep } from 'node:path'
import { watch } from 'chokidar'
import { CliError } from '../cli-error.ts'
import type { ExitStatus } from '../exit-status.ts'
import type { FoundFiles } from '../input/find-files.ts'
import { resolveSources, type ConfiguredSearch } from '../config/resolve-sources.ts'
import type { BuildResult } from '../output/build-result.ts'
import { reportError } from '../output/report-error.ts'
import { writeNote } from '../output/terminal.ts'
import { createOverwriteGuard } from '../output/write-file.ts'
import { buildInOrder, type BuildMeans } from './build-in-order.ts'
import { createBuildPool } from './create-build-pool.ts'
import { createRequests, failedInput, type BuildRunOptions } from './create-requests.ts'
import { printTable, reportResults } from './report-results.ts'
import { openCache } from './run-build.ts'
import { isWritable, validateResults } from './validate-results.ts'
import { createPackWriter, type WriteTarget } from './write-packs.ts'

/** File events less than this apart start one build. */
const DEBOUNCE_MS = 60

/** Builds all sources, then each new or changed one, until a signal ends the program. */
export async function watchSources(
  search: ConfiguredSearch,
  target: WriteTarget,
  options: BuildRunOptions,
): Promise<ExitStatus> {
  const state: WatchState = { known: new Map(), changed: new Set(), failing: new Set(), reported: new Set() }
  const means = { pool: createBuildPool(options.buildSeconds), cache: openCache(search.cwd, options) }
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const rebuild = async (): Promise<void> => {
    try {
      await rebuildChanged(means, search, target, options, state)
    } catch (error) {
      reportError(error, false)
    }
  }
  const roots = search.inputs.map((input) => resolve(search.base ?? search.cwd, findGlobBase(input)))
  const watcher = watch(roots, {
    ignoreInitial: true,
    ignored: (path) => (path === search.folder && !roots.includes(path)) || isSkipped(path, roots),
  })
  watcher.on('all', (_, path) => {
    state.changed.add(resolve(path))
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(rebuild)
    }, DEBOUNCE_MS)
  })
  watcher.on('error', (error) => void reportError(error, false))
  await new Promise<void>((ready) => watcher.once('ready', ready))
  await (running = running.then(rebuild))
  writeNote('watching for changes; press Ctrl-C to stop')
  return new Promise(() => undefined)
}

interface WatchState {
  /** Latest result of each source, by path. */
  readonly known: Map<string, BuildResult>
  /** Paths with events since the last build. */
  readonly changed: Set<string>
  /** Paths of sources whose last reported result was a failure. */
  readonly failing: Set<string>
  /** Messages already printed about inputs that are not sources. */
  readonly reported: Set<string>
}

/**
 * Builds new and changed sources and reports only those. Slugs are compared across all sources: a source that failed only
 * because another had the same slug is written once the other is gone.
 */
async function rebuildChanged(
  means: BuildMeans,
  search: ConfiguredSearch,
  target: WriteTarget,
  options: BuildRunOptions,
  state: WatchState,
): Promise<void> {
  const { known, changed, failing } = state
  const found = findSourcesIfAny(search)
  const paths = new Set(found.files.map(({ path }) => path))
  for (const path of known.keys()) if (!paths.has(path)) known.delete(path)
  const files = found.files.filter(({ path }) => changed.has(path) || !known.has(path))
  changed.clear()
  const { good } = await createRequests({ ...found, files }, options)
  const built = await buildInOrder(good, means)
  for (const result of built) known.set(result.path, result)
  const rebuilt = new Set(built.map(({ path }) => path))
  const validated = validateResults([...known.values()], options.minSavings)
  const updates = validated.filter(
    (result) => rebuilt.has(result.path) || (failing.has(result.path) && isWritable(result)),
  )
  for (const result of updates) {
    if (isWritable(result)) failing.delete(result.path)
    else failing.add(result.path)
  }
  const results = [...updates, ...pickUnreported(found.failures, state.reported).map(failedInput)]
  if (results.length === 0) return
  const written = results.map(createPackWriter(target, createOverwriteGuard(found.files)))
  printTable(written, target, options)
  reportResults(written, target, options)
}

/** Returns the failures that were not reported before, and replaces `reported` with the current ones. */
function pickUnreported(failures: readonly CliError[], reported: Set<string>): CliError[] {
  const unreported = failures.filter(({ message }) => !reported.has(message))
  reported.clear()
  for (const { message } of failures) reported.add(message)
  return unreported
}

/** While watching, an empty folder is not an error: its first source may be added later. */
function findSourcesIfAny(search: ConfiguredSearch): FoundFiles {
  try {
    return resolveSources(search)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { files: [], failures: [], leftOut: [] }
  }
}

/** Returns the folders of a glob before its first pattern, and any other input unchanged. */
function findGlobBase(input: string): string {
  const parts = input.split('/')
  const first = parts.findIndex((part) => /[*?[\]{}()!]/.test(part))
  return first < 0 ? input : `${input.startsWith('/') ? '/' : ''}${join(...parts.slice(0, first))}`
}

/** Tells whether a search below the named inputs would skip this path. */
function isSkipped(path: string, roots: readonly string[]): boolean {
  const root = roots.find((folder) => path.startsWith(folder + sep)) ?? path
  const parts = path.slice(root.length).split(sep)
  return parts.some((part) => part === 'node_modules' || part.startsWith('.'))
}
