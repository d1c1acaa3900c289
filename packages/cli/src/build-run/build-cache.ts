import { hash } from 'node:crypto'
import { lstatSync, mkdirSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type CacheEnvironment, findUserCache, makeFolder } from '@packs/client/node'
import { decode } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import { type BuildResult, type PromptCost, summarizePack, type BuiltPack } from '../output/build-result.ts'
import { findUpward } from '../package-files.ts'
import { createStoredResults, digestProgram } from '../user-cache/stored-results.ts'
import type { BuildRequest, ReadSource } from './read-source.ts'

/** Results of earlier builds on disk. No fault of the cache fails a build. */
export interface BuildCache {
  /**
   * Returns the result of building this source with these bytes, or undefined if there is no valid
   * entry.
   */
  find(request: BuildRequest, source: Pick<ReadSource, 'bytes' | 'digest'>): Promise<BuildResult | undefined>
  /** Stores a result, if it has a pack, for a source with this digest. */
  store(request: BuildRequest, digest: string, result: BuildResult): void
  /**
   * Returns what a prompt of these pack documents costs, or undefined if there is no valid entry.
   */
  findCost(packs: readonly string[]): Promise<PromptCost | undefined>
  storeCost(packs: readonly string[], cost: PromptCost): void
  close(): CacheFigures
}

export interface CacheFigures {
  readonly folder: string
  readonly used: number
  /** Number of damaged entries. */
  readonly damaged: number
  /** Why nothing can be written. */
  readonly fault?: string
}

/**
 * Opens the build cache in a folder, which is created with the first entry. Keys include a digest
 * of the program, so an authenticated entry also has the right format.
 */
export function openBuildCache(folder: string): BuildCache {
  let program: string | undefined
  let fault: string | undefined
  let [used, damaged] = [0, 0]
  const entries = createStoredResults()
  const findKey = (request: BuildRequest, source: string): string =>
    deriveKey(request, (program ??= digestProgram()), source)
  const findCostKey = (packs: readonly string[]): string =>
    deriveCostKey(packs, (program ??= digestProgram()))
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
const ENTRY_FORMAT = 'packs-cache/1'

/**
 * Returns the key of the entry for a request: everything that its result depends on.
 *
 * @param program digest of the program
 * @param source SHA-256 of the bytes of the source
 */
function deriveKey(
  { path, shown, stdinPath = path, overrides, defaults = {} }: BuildRequest,
  program: string,
  source: string,
): string {
  // Slug, title and messages can depend on the names of the file and its folder.
  const names = stdinPath === '-' ? [] : [shown, basename(dirname(stdinPath))]
  return JSON.stringify([ENTRY_FORMAT, program, source, names, overrides, defaults])
}

/** What an entry keeps of a result, besides the pack document. */
interface EntryParts
  extends
    Pick<BuildResult, 'slugPosition' | 'scheme' | 'messages'>,
    Pick<BuiltPack, 'entries' | 'optimality'> {}

/**
 * Returns an entry: the parts of the result as JSON, then the pack document. Undefined without a
 * pack.
 */
function serializeEntry(result: BuildResult): string | undefined {
  const { pack, text, slugPosition, scheme, messages } = result
  if (pack === null || text === null) return undefined
  const { entries, optimality } = pack
  const parts: EntryParts = { entries, optimality, slugPosition, ...(scheme && { scheme }), messages }
  return `${JSON.stringify(parts)}\n${text}`
}

/**
 * Reads an entry that this program has written. It counts only if its pack reproduces the source:
 * front matter and decoded body.
 *
 * @param source text of the source
 */
function parseEntry(entry: string, { path, shown }: BuildRequest, source: string): BuildResult | undefined {
  const end = entry.indexOf('\n')
  const { entries, optimality, messages, ...parts } = JSON.parse(entry.slice(0, end)) as EntryParts
  const text = entry.slice(end + 1)
  const pack = JSON.parse(text) as Pack
  if ((pack.front_matter ?? '') + decode(pack.content, pack.rosetta) !== source) return undefined
  return {
    path,
    shown,
    ...parts,
    pack: summarizePack(pack, entries, optimality),
    text,
    messages: messages.map((message) => ({ ...message, file: shown })),
  }
}

/**
 * Returns the key of the entry with the cost of a prompt of these pack documents, in this order.
 */
function deriveCostKey(packs: readonly string[], program: string): string {
  return JSON.stringify([ENTRY_FORMAT, program, 'prompt', packs.map((text) => hash('sha256', text))])
}

/**
 * Returns the folder of the build cache: `node_modules/.cache/packs` of the nearest folder upward
 * that has a `package.json`, if it has `node_modules`, and otherwise a folder in the user's cache.
 * It need not exist.
 *
 * @param cwd absolute path
 */
export function findCacheFolder(cwd: string, environment?: CacheEnvironment): string {
  const project = findUpward(cwd, ['package.json'])
  if (project !== undefined && isRealFolder(join(project, 'node_modules'), statSync)) {
    return join(project, 'node_modules', '.cache', 'packs')
  }
  return findUserCache(environment)
}
