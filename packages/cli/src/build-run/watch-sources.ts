import { resolve, sep } from 'node:path'
import { watch, type FSWatcher } from 'chokidar'
import type { ExitStatus } from '../cli-error.ts'
import { FilesError, findFixedPart, formatPath, type FoundFiles } from '@packs/files'
import { resolveSources, type ConfiguredSearch } from '../config/resolve-sources.ts'
import type { BuildResult } from '../output/build-result.ts'
import { reportError } from '../output/report-error.ts'
import { escapeControls, writeNote } from '../output/terminal.ts'
import { createOverwriteGuard } from '../output/write-file.ts'
import { buildInOrder, type BuildMeans } from './build-in-order.ts'
import { createBuildPool } from './create-build-pool.ts'
import { createRequests, failedInput, type BuildRunOptions } from './create-requests.ts'
import { reportRecords, reportResults } from './report-results.ts'
import { openCache } from './run-build.ts'
import {
  updateRecords,
  isWritable,
  validateResults,
  createPackWriter,
  type WriteTarget,
} from './write-packs.ts'

/** File events less than this apart start one build. */
const DEBOUNCE_MS = 60

/** Everything that a build needs, as it follows from the command line and the configuration. */
export interface BuildPlan {
  readonly search: ConfiguredSearch
  readonly target: WriteTarget
  readonly options: BuildRunOptions
}

/**
 * Builds all sources, then each new or changed one, until a signal ends the program.
 * @param plan called again when the configuration has changed; after an error the last one stays
 */
export async function watchSources(plan: () => Promise<BuildPlan>): Promise<ExitStatus> {
  let current = await plan()
  const { target, options } = current
  const means = { pool: createBuildPool(options.buildSeconds), cache: openCache(target.cwd, options) }
  const state: WatchState = {
    known: new Map(),
    changed: new Set(),
    failing: new Set(),
    reported: new Set(),
    noted: new Set(),
  }
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let watcher: FSWatcher | undefined
  const reload = async (): Promise<void> => {
    const { config: before } = current.search
    try {
      current = await plan()
      await before?.close?.()
    } catch (error) {
      reportError(error, false)
      return
    }
    writeNote(escapeControls(`${current.search.config?.shown ?? 'the configuration'} has changed`))
    // Any source may have other settings now. The packs of the others come from the cache.
    for (const path of state.known.keys()) state.changed.add(path)
    await openWatcher()
  }
  const rebuild = async (): Promise<void> => {
    try {
      if (state.changed.delete(current.search.config?.path ?? '')) await reload()
      await rebuildChanged(means, current, state)
      watcher?.add([...state.known.values()].flatMap(({ included = [] }) => included))
    } catch (error) {
      reportError(error, false)
    }
  }
  const onEvent = (path: string): void => {
    state.changed.add(resolve(path))
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(rebuild)
    }, DEBOUNCE_MS)
  }
  const openWatcher = async (): Promise<void> => {
    await watcher?.close()
    watcher = await startWatcher(current, onEvent)
  }
  await openWatcher()
  await (running = running.then(rebuild))
  writeNote(`watching ${describeWatched(current, state.known.size)}; press Ctrl-C to stop`)
  return new Promise(() => undefined)
}

/** Starts to watch the inputs and the configuration before it returns. */
async function startWatcher({ search }: BuildPlan, onEvent: (path: string) => void): Promise<FSWatcher> {
  const roots = listRoots(search)
  const config = search.config?.path
  const watcher = watch(config === undefined ? roots : [...roots, config], {
    ignoreInitial: true,
    ignored: (path) =>
      path !== config && ((path === search.folder && !roots.includes(path)) || isSkipped(path, roots)),
  })
  watcher.on('all', (_, path) => onEvent(path))
  watcher.on('error', (error) => void reportError(error, false))
  await new Promise<void>((ready) => watcher.once('ready', ready))
  return watcher
}

function listRoots({ inputs, base, cwd }: ConfiguredSearch): string[] {
  return inputs.map((input) => resolve(base ?? cwd, findFixedPart(input)))
}

const MOST_ROOTS = 3

/** Returns a text like `128 files in docs and packs.config.ts`. */
function describeWatched({ search }: BuildPlan, files: number): string {
  const formatRoot = (root: string): string =>
    root === search.cwd ? 'this folder' : formatPath(root, search.cwd)
  const roots = [...new Set(listRoots(search).map(formatRoot))]
  const rest = roots.length - MOST_ROOTS
  const places = rest > 0 ? [...roots.slice(0, MOST_ROOTS), `${rest} more`] : roots
  const config = search.config === undefined ? '' : ` and ${search.config.shown}`
  return escapeControls(`${files === 1 ? '1 file' : `${files} files`} in ${places.join(', ')}${config}`)
}

interface WatchState {
  readonly known: Map<string, BuildResult>
  /** Paths with events since the last build. */
  readonly changed: Set<string>
  /** Paths of sources whose last reported result was a failure. */
  readonly failing: Set<string>
  /** Messages already printed about inputs that are not sources. */
  reported: ReadonlySet<string>
  /** Packs that stay although their source is gone, and packs of other inputs. */
  noted: ReadonlySet<string>
}

/**
 * Builds and reports new and changed sources. Slugs are compared across all sources: one that
 * failed only because another had the same slug is written once the other is gone.
 */
async function rebuildChanged(
  means: BuildMeans,
  { search, target, options }: BuildPlan,
  state: WatchState,
): Promise<void> {
  const { known, changed, failing } = state
  const found = await findSourcesIfAny(search)
  const paths = new Set(found.files.map(({ path }) => path))
  for (const [path, { shown }] of known) {
    if (paths.has(path)) continue
    known.delete(path)
    failing.delete(path)
    if (!options.quiet) writeNote(escapeControls(`${shown} is no longer a source`))
  }
  const files = found.files.filter(({ path }) => {
    const result = known.get(path)
    // Any file may be what made an include fail.
    const isUnread = result?.messages.some(
      ({ rule }) => rule === 'include_failed' || rule === 'prepare_failed',
    )
    return changed.has(path) || isUnread !== false || result?.included?.some((file) => changed.has(file))
  })
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
  const written = updates.map(createPackWriter(target, createOverwriteGuard(found.files)))
  const unread = found.failures.filter(({ message }) => !state.reported.has(message))
  state.reported = new Set(found.failures.map(({ message }) => message))
  const failed = unread.map((error) => ({ ...failedInput(error), file: null, status: 'failed' as const }))
  const results = [...written, ...failed]
  const unwritten = new Set(written.filter(({ status }) => status === 'failed').map(({ path }) => path))
  const saved = validated.filter(({ path }) => !unwritten.has(path))
  const all = updateRecords(target, found, saved, options.clean ?? false)
  const isNew = ({ file }: { readonly file: string }): boolean => !state.noted.has(file)
  const records = { ...all, gone: all.gone.filter(isNew), others: all.others.filter(isNew) }
  const stay = all.gone.filter(({ status }) => status !== 'removed')
  state.noted = new Set([...stay, ...all.others].map(({ file }) => file))
  means.cache?.close()
  if (results.length > 0) reportResults(results, target, options, { records })
  else if (!options.quiet) reportRecords(records, target)
}

/** While watching, an empty folder is not an error: its first source may be added later. */
async function findSourcesIfAny(search: ConfiguredSearch): Promise<FoundFiles> {
  try {
    return await resolveSources(search)
  } catch (error) {
    if (!(error instanceof FilesError)) throw error
    return { files: [], failures: [], leftOut: [], skipped: [], messages: [] }
  }
}

function isSkipped(path: string, roots: readonly string[]): boolean {
  const root = roots.includes(path) ? path : (roots.find((folder) => path.startsWith(folder + sep)) ?? path)
  const parts = path.slice(root.length).split(sep)
  return parts.some((part) => part === 'node_modules' || /^\.(?!(?:git|pack)ignore$)/.test(part))
}
