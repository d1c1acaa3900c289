import { join, resolve, sep } from 'node:path'
import { watch } from 'chokidar'
import type { ExitStatus } from '../exit-status.ts'
import { CliError } from '../cli-error.ts'
import { reportError } from '../output/report-error.ts'
import { writeNote } from '../output/terminal.ts'
import type { FoundFiles } from '../input/find-files.ts'
import { buildAll } from './build-all.ts'
import type { BuildResult } from '../output/build-result.ts'
import { findSources, type SourceSearch } from '../input/find-inputs.ts'
import { createOverwriteGuard } from '../output/write-file.ts'
import { isWritable, validateResults } from './validate-results.ts'
import { failedInput, pickOverrides, reportResults, type BuildRunOptions } from './run-build.ts'
import { writePacks, type WriteTarget } from './write-packs.ts'

/** Events that come within this time are taken together. */
const SETTLE_MS = 60

/** Builds all sources, then each one that changes or comes, until a signal ends the program. */
export async function watchSources(
  search: SourceSearch,
  target: WriteTarget,
  options: BuildRunOptions,
): Promise<ExitStatus> {
  const state: WatchState = { known: new Map(), changed: new Set(), failing: new Set(), reported: new Set() }
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const rebuild = async (): Promise<void> => {
    try {
      await rebuildChanged(search, target, options, state)
    } catch (error) {
      reportError(error, false)
    }
  }
  const roots = search.inputs.map((input) => resolve(search.cwd, findGlobBase(input)))
  const watcher = watch(roots, {
    ignoreInitial: true,
    ignored: (path) => (path === search.folder && !roots.includes(path)) || isSkipped(path, roots),
  })
  watcher.on('all', (_, path) => {
    state.changed.add(resolve(path))
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(rebuild)
    }, SETTLE_MS)
  })
  watcher.on('error', (error) => void reportError(error, false))
  await new Promise<void>((ready) => watcher.once('ready', ready))
  await (running = running.then(rebuild))
  writeNote('watching for changes; Ctrl-C ends')
  return new Promise(() => undefined)
}

interface WatchState {
  /** What became of each source. */
  readonly known: Map<string, BuildResult>
  /** Paths with events since the last build. */
  readonly changed: Set<string>
  /** Sources that were told of as wrong when they were built last. */
  readonly failing: Set<string>
  /** Inputs that stand for no source, as they were told of. */
  readonly reported: Set<string>
}

/**
 * Builds what is new or has changed and reports that alone. Slugs are compared with those of all sources, so one that was at fault
 * only for another's slug is written when that has gone.
 */
async function rebuildChanged(
  search: SourceSearch,
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
  const overrides = pickOverrides(options)
  const built = await buildAll(
    files.map(({ path, shown }) => ({ path, shown, overrides })),
    () => undefined,
  )
  for (const result of built) known.set(result.path, result)
  const fresh = new Set(built.map(({ path }) => path))
  const judged = validateResults([...known.values()], options.minSavings)
  const news = judged.filter(
    (result) => fresh.has(result.path) || (failing.has(result.path) && isWritable(result)),
  )
  for (const result of news) {
    if (isWritable(result)) failing.delete(result.path)
    else failing.add(result.path)
  }
  const results = [...news, ...pickUnreported(found.failures, state.reported).map(failedInput)]
  if (results.length === 0) return
  reportResults(writePacks(results, target, createOverwriteGuard(found.files)), target, options)
}

/** Gives the failures that were not there before, and remembers those that are there now. */
function pickUnreported(failures: readonly CliError[], told: Set<string>): CliError[] {
  const untold = failures.filter(({ message }) => !told.has(message))
  told.clear()
  for (const { message } of failures) told.add(message)
  return untold
}

/** While watching, an empty folder is no error: its first source may come yet. */
function findSourcesIfAny(search: SourceSearch): FoundFiles {
  try {
    return findSources(search)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { files: [], failures: [] }
  }
}

/** The folders of a glob before its first pattern; any other input as it is. */
function findGlobBase(input: string): string {
  const parts = input.split('/')
  const first = parts.findIndex((part) => /[*?[\]{}()!]/.test(part))
  return first < 0 ? input : `${input.startsWith('/') ? '/' : ''}${join(...parts.slice(0, first))}`
}

/** What a search leaves out below the places that were named. */
function isSkipped(path: string, roots: readonly string[]): boolean {
  const root = roots.find((place) => path.startsWith(place + sep)) ?? path
  const parts = path.slice(root.length).split(sep)
  return parts.some((part) => part === 'node_modules' || part.startsWith('.'))
}
