import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createPrivately, findRegularFile, makeFolder, openUserFolder } from '@packs/client/files'
import { createCacheEntries } from '@packs/client/node'
import { MAX_PACK_BYTES, MAX_SOURCE_BYTES } from '../../input/read-bounded.ts'
import type { BuildResult, PromptCost } from '../../output/build-result.ts'
import type { BuildRequest, ReadSource } from '../read-source.ts'
import { deriveCostKey, deriveKey, digestProgram, serializeCost, serializeEntry } from './cache-entry.ts'

/** Results of earlier builds on disk. No fault of the cache fails a build. */
export interface BuildCache {
  /** Returns the result of building this source as it was read, or undefined if there is no sound entry. */
  find(request: BuildRequest, source: Pick<ReadSource, 'bytes' | 'digest'>): Promise<BuildResult | undefined>
  /** Stores a result, if it has a pack, for a source with this digest. */
  store(request: BuildRequest, digest: string, result: BuildResult): void
  /** Returns what a prompt of these pack documents costs, or undefined if there is no sound entry. */
  findCost(packs: readonly string[]): Promise<PromptCost | undefined>
  /** Stores what a prompt of these pack documents costs. */
  storeCost(packs: readonly string[], cost: PromptCost): void
  /** Returns what there is to say about the cache. */
  close(): CacheFigures
}

/** What a build did with its cache. */
export interface CacheFigures {
  readonly folder: string
  /** Number of entries that were used. */
  readonly used: number
  /** Number of entries that did not hold what they should. */
  readonly damaged: number
  /** Why nothing can be written. */
  readonly fault?: string
}

/** An entry holds a pack and its messages. */
const MAX_ENTRY_BYTES = MAX_PACK_BYTES + 16 * 1024 * 1024

/**
 * Opens the build cache in a folder, which is created with the first entry. Others may write to it, and services restore it: entries
 * count only with a code under a secret of this user.
 */
export function openBuildCache(folder: string): BuildCache {
  let program: string | undefined
  let secret: Buffer | undefined
  let fault: string | undefined
  let [used, damaged] = [0, 0]
  const entries = createCacheEntries({
    entryBytes: MAX_ENTRY_BYTES,
    getSecret: () => (secret ??= loadSecret()),
  })
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
      // Only builds that find an entry need schemas.
      const { parseEntry } = await import('./parse-entry.ts')
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
      if (typeof entry !== 'object') return undefined
      const { parseCost } = await import('./parse-entry.ts')
      return parseCost(entry.toString())
    },
    storeCost(packs, cost) {
      write(findCostKey(packs), serializeCost(cost))
    },
    close: () => ({ folder, used, damaged, ...(fault !== undefined && { fault }) }),
  }
}

const SECRET_BYTES = 32

/**
 * Reads the secret of this user from the private folder, or creates it. Where that is not possible, it returns one that no other run
 * knows, so that no entry counts.
 */
function loadSecret(): Buffer {
  const secret = randomBytes(SECRET_BYTES)
  const folder = openUserFolder()
  if (folder === undefined) return secret
  const file = join(folder, 'build-cache-key')
  const read = (): Buffer | undefined => findRegularFile(file, MAX_SOURCE_BYTES, true)?.data
  const known = read()
  if (known?.length === SECRET_BYTES) return known
  try {
    if (known !== undefined) rmSync(file)
    createPrivately(file, secret)
  } catch {
    // Another build was first, whose secret both use, or nothing can be written.
  }
  const created = read()
  return created?.length === SECRET_BYTES ? created : secret
}

/** Tells whether a path is a folder, and not a link to one. */
function isRealFolder(folder: string): boolean {
  try {
    return lstatSync(folder).isDirectory()
  } catch {
    return false
  }
}

/** Only the user can read what the cache holds. */
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
