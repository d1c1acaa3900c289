import { setImmediate } from 'node:timers/promises'
import { type BuildResult, type PromptCost, summarizePack, type BuiltPack } from '../output/build-result.ts'
import { toDiagnostic } from '../output/diagnostic.ts'
import { diagnoseErrors } from '../output/report-error.ts'
import type { BuiltSource } from './build-source.ts'
import type { BuildPool, WaitingSource } from './create-build-pool.ts'
import { type BuildRequest, locateMessages } from './create-requests.ts'
import { groupBySlug, type SlugUses } from './write-packs.ts'
import { hash } from 'node:crypto'
import { lstatSync, mkdirSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type CacheEnvironment, findUserCache, makeFolder, type ReadSource } from '@packs/files'
import { restore } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import { findUpward } from '../package-files.ts'
import { createStoredResults, digestProgram } from '../user-cache/stored-results.ts'

export interface BuildMeans {
  readonly pool: BuildPool
  /** Absent with `--no-cache`. */
  readonly cache: BuildCache | undefined
}

interface BuildObserver {
  /** Called with each source that must be built because the cache has no sound entry, in order. */
  onMissing?(request: BuildRequest): void
  /** Called with each source whose result is known, in any order. */
  onBuilt?(request: BuildRequest): void
  /** Called with each result, in the order of the requests. `uses` has the slugs of all sources. */
  onReady?(result: BuildResult, uses: SlugUses): void
}

/**
 * Builds the sources that are not in the cache, and returns all results in the order of the
 * requests. Each source is read and parsed here, once, so that its slug is known before.
 */
export async function buildInOrder(
  requests: readonly BuildRequest[],
  { pool, cache }: BuildMeans,
  observer: BuildObserver = {},
): Promise<BuildResult[]> {
  const results: (BuildResult | undefined)[] = requests.map(() => undefined)
  let uses: SlugUses | undefined
  let handed = 0
  let handing: Promise<void> = Promise.resolve()
  const handOver = async (): Promise<void> => {
    // A signal that arrived during a build ends the program before anything is written. The first turn of the
    // event loop may end before it polls for signals; the second cannot.
    await setImmediate()
    await setImmediate()
    for (let next = results[handed]; uses !== undefined && next !== undefined; next = results[handed]) {
      handed++
      observer.onReady?.(next, uses)
    }
  }
  async function* listMissing(): AsyncGenerator<WaitingSource> {
    const prepared: BuildResult[] = []
    for (const [at, request] of requests.entries()) {
      const { result, source, read } = await prepareSource(request, cache)
      prepared.push(result)
      if (source === undefined) {
        results[at] = result
        // A result from the cache takes no work.
        observer.onBuilt?.({ ...request, size: 0 })
        continue
      }
      observer.onMissing?.(request)
      const { shown, overrides } = request
      const onBuilt = ({ pack, text, saved, messages }: BuiltSource): void => {
        const all = [...result.messages, ...locateMessages(messages, read)]
        const built = { ...result, pack, text, ...(saved && { saved }), messages: all }
        results[at] = built
        cache?.store(request, read.digest, built)
        observer.onBuilt?.(request)
        handing = handing.then(handOver)
      }
      yield { task: { source, shown, overrides }, bytes: read.bytes.length, onBuilt }
    }
    uses = groupBySlug(prepared)
  }
  await pool.build(listMissing())
  await handing
  await handOver()
  return results as BuildResult[]
}

/** The result so far, and the source if it must be built. */
type PreparedSource = { readonly result: BuildResult } & (
  | { readonly source: WaitingSource['task']['source']; readonly read: ReadSource }
  | { readonly source?: never; readonly read?: never }
)

/** Takes the result from the cache, or parses the source. Errors are among the messages. */
async function prepareSource(request: BuildRequest, cache: BuildCache | undefined): Promise<PreparedSource> {
  const { path, shown, overrides } = request
  const unread = { path, shown, pack: null, slugPosition: null, text: null, messages: [] }
  try {
    const read = await request.read()
    const { included } = read
    const found = await cache?.find(request, read)
    if (found !== undefined) return { result: { ...found, included } }
    const { source, messages: all } = await read.parse()
    const parsed = all.map((message) => toDiagnostic(message, shown))
    const messages = [...read.messages, ...locateMessages(parsed, read)]
    if (source === undefined) return { result: { ...unread, included, messages } }
    const { slug, compression, positions } = source
    const scheme = overrides.scheme ?? compression
    const slugPosition = positions.get('slug') ?? null
    return { result: { ...unread, slug, slugPosition, scheme, included, messages }, source, read }
  } catch (error) {
    return { result: { ...unread, messages: diagnoseErrors(error, shown) } }
  }
}

/** Results of earlier builds on disk. No fault of the cache fails a build. */
export interface BuildCache {
  /** Returns undefined without a valid entry. */
  find(request: BuildRequest, source: Pick<ReadSource, 'bytes' | 'digest'>): Promise<BuildResult | undefined>
  /** Stores a result, if it has a pack, for a source with this digest. */
  store(request: BuildRequest, digest: string, result: BuildResult): void
  /** Returns what a prompt of these pack documents costs; undefined without a valid entry. */
  findCost(packs: readonly string[]): Promise<PromptCost | undefined>
  storeCost(packs: readonly string[], cost: PromptCost): void
  close(): CacheFigures
}

export interface CacheFigures {
  readonly folder: string
  readonly used: number
  readonly damaged: number
  readonly fault?: string
}

/** Keys have a digest of the program, so an authenticated entry also has the right format. */
export function openBuildCache(folder: string): BuildCache {
  let program: string | undefined
  let fault: string | undefined
  let [used, damaged] = [0, 0]
  const entries = createStoredResults()
  /** A key has everything that a result depends on. */
  const makeKey = (...parts: readonly unknown[]): string =>
    JSON.stringify([ENTRY_FORMAT, (program ??= digestProgram()), ...parts])
  const findKey = (
    { path, shown, stdinPath = path, overrides, defaults = {} }: BuildRequest,
    digest: string,
  ): string => {
    // Slug, title and messages can depend on the names of the file and its folder.
    const names = stdinPath === '-' ? [] : [shown, basename(dirname(stdinPath))]
    return makeKey(digest, names, overrides, defaults)
  }
  const findCostKey = (packs: readonly string[]): string =>
    makeKey(
      'prompt',
      packs.map((text) => hash('sha256', text)),
    )
  const read = (key: string): Buffer | 'damaged' | undefined =>
    isRealFolder(folder) ? entries.read(folder, key) : undefined
  /** Nothing is written after the first error. */
  const write = (key: string, entry: string): void => {
    if (fault !== undefined) return
    try {
      createPrivateFolder(folder)
      entries.write(folder, key, Buffer.from(entry))
    } catch (error) {
      fault = (error as Error).message
    }
  }
  return {
    async find(request, { bytes, digest }) {
      const entry = read(findKey(request, digest))
      if (entry === undefined) return undefined
      const source = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
      const result = entry === 'damaged' ? undefined : parseEntry(entry.toString(), request, source)
      if (result === undefined) damaged++
      else used++
      return result
    },
    store(request, digest, result) {
      const entry = serializeEntry(result)
      if (entry !== undefined) write(findKey(request, digest), entry)
    },
    async findCost(packs) {
      const entry = read(findCostKey(packs))
      return typeof entry === 'object' ? (JSON.parse(entry.toString()) as PromptCost) : undefined
    },
    storeCost(packs, cost) {
      write(findCostKey(packs), JSON.stringify(cost))
    },
    close: () => ({ folder, used, damaged, ...(fault !== undefined && { fault }) }),
  }
}

/** Tells whether a path is a folder, and with `lstat` not a link to one. */
function isRealFolder(folder: string, stat: (path: string) => Stats = lstatSync): boolean {
  try {
    return stat(folder).isDirectory()
  } catch {
    return false
  }
}

/** Only the user can read the cache. */
function createPrivateFolder(folder: string): void {
  if (isRealFolder(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another build may have created it.
    if (!isRealFolder(folder)) throw error
  }
}

/** Changes with the format of an entry. */
const ENTRY_FORMAT = 'packs-cache/2'

/** What an entry keeps of a result, besides the pack document. */
interface EntryParts
  extends
    Pick<BuildResult, 'slugPosition' | 'scheme' | 'saved' | 'messages'>,
    Pick<BuiltPack, 'entries' | 'optimality'> {}

/** An entry is parts of the result as JSON, then the pack document. Undefined without a pack. */
function serializeEntry(result: BuildResult): string | undefined {
  const { pack, text, slugPosition, scheme, saved, messages } = result
  if (pack === null || text === null) return undefined
  const { entries, optimality } = pack
  const schemes = { ...(scheme && { scheme }), ...(saved && { saved }) }
  const parts: EntryParts = { entries, optimality, slugPosition, ...schemes, messages }
  return `${JSON.stringify(parts)}\n${text}`
}

/** An entry counts only if its pack reproduces the source: front matter and decoded body. */
function parseEntry(entry: string, { path, shown }: BuildRequest, source: string): BuildResult | undefined {
  const end = entry.indexOf('\n')
  const { entries, optimality, messages, ...parts } = JSON.parse(entry.slice(0, end)) as EntryParts
  const text = entry.slice(end + 1)
  const pack = JSON.parse(text) as Pack
  if (restore(pack, { frontMatter: true }) !== source) return undefined
  const summary = summarizePack(pack, entries, optimality)
  const located = messages.map((message) => ({ ...message, file: shown }))
  return { path, shown, ...parts, pack: summary, text, messages: located }
}

/** Finds `node_modules/.cache/packs` of the project, or else a folder in the user's cache. */
export function findCacheFolder(cwd: string, environment?: CacheEnvironment): string {
  const project = findUpward(cwd, ['package.json'])
  if (project !== undefined && isRealFolder(join(project, 'node_modules'), statSync)) {
    return join(project, 'node_modules', '.cache', 'packs')
  }
  return findUserCache(environment)
}
