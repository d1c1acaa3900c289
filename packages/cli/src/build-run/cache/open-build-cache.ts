import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRealFolder, makeFolder, openUserFolder, readFile, writePrivately } from '@packs/client/user-folder'
import { MAX_PACK_BYTES, MAX_SOURCE_BYTES } from '../../input/read-bounded.ts'
import type { BuildResult, PromptCost } from '../../output/build-result.ts'
import type { BuildRequest, ReadSource } from '../read-source.ts'
import { deriveCostKey, deriveKey, digestProgram, serializeCost, serializeEntry } from './cache-entry.ts'
import { sweepCache } from './sweep-cache.ts'

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
  /** Removes old entries, if this was not done lately, and returns what there is to say about the cache. */
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

/** How a cache is used. */
export interface CacheOptions {
  /** Whether entries are read: `--force` builds all sources again, and stores them. */
  readonly isRead: boolean
}

/** An entry holds a pack and its messages. */
const MAX_ENTRY_BYTES = MAX_PACK_BYTES + 16 * 1024 * 1024

/**
 * Opens the build cache in a folder, which is created with the first entry. Others may write to it, and services restore it: entries
 * count only with a code under a secret of this user.
 */
export function openBuildCache(folder: string, { isRead }: CacheOptions): BuildCache {
  const files = openFiles(folder)
  let program: string | undefined
  let secret: Buffer | undefined
  let [used, damaged, stored] = [0, 0, 0]
  const getProgram = (): string => (program ??= digestProgram())
  const getSecret = (): Buffer => (secret ??= loadSecret())
  const findKey = (request: BuildRequest, source: string): string => deriveKey(request, getProgram(), source)
  return {
    async find(request, { bytes, digest }) {
      if (!isRead) return undefined
      const key = findKey(request, digest)
      const entry = files.read(key)
      if (entry === undefined) return undefined
      // Only builds that find an entry need schemas.
      const { parseEntry } = await import('./parse-entry.ts')
      const result = parseEntry(
        entry.toString(),
        key,
        getSecret(),
        request,
        new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
      )
      if (result === undefined) damaged++
      else used++
      return result
    },
    store(request, digest, result) {
      const key = findKey(request, digest)
      const entry = serializeEntry(key, result, getSecret())
      if (entry === undefined) return
      files.write(key, Buffer.from(entry))
      stored++
    },
    async findCost(packs) {
      if (!isRead) return undefined
      const key = deriveCostKey(packs, getProgram())
      const entry = files.read(key)
      if (entry === undefined) return undefined
      const { parseCost } = await import('./parse-entry.ts')
      return parseCost(entry.toString(), key, getSecret())
    },
    storeCost(packs, cost) {
      const key = deriveCostKey(packs, getProgram())
      files.write(key, Buffer.from(serializeCost(key, cost, getSecret())))
    },
    close() {
      const fault = files.getFault()
      if (stored > 0 && fault === undefined) sweepCache(folder, Date.now())
      return { folder, used, damaged, ...(fault !== undefined && { fault }) }
    },
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
  const known = readFile(file, MAX_SOURCE_BYTES, true)
  if (known?.length === SECRET_BYTES) return known
  const draft = `${file}.${secret.toString('hex', 0, 8)}`
  try {
    if (known !== undefined) rmSync(file)
    writePrivately(draft, secret)
    // Another build may create it at the same time: one of both is linked, complete, and both use it.
    linkSync(draft, file)
  } catch {
    // The other build was first, or nothing can be written.
  } finally {
    rmSync(draft, { force: true })
  }
  const created = readFile(file, MAX_SOURCE_BYTES, true)
  return created?.length === SECRET_BYTES ? created : secret
}

interface CacheFiles {
  read(name: string): Buffer | undefined
  write(name: string, data: Uint8Array): void
  /** Returns the first error of a write. Nothing is written after it. */
  getFault(): string | undefined
}

function openFiles(folder: string): CacheFiles {
  let fault: string | undefined
  let isOpen = false
  return {
    read: (name) => (isRealFolder(folder) ? readFile(join(folder, name), MAX_ENTRY_BYTES, true) : undefined),
    write(name, data) {
      if (fault !== undefined) return
      try {
        if (!isOpen) createPrivateFolder(folder)
        isOpen = true
        writePrivately(join(folder, name), data)
      } catch (error) {
        fault = (error as Error).message
      }
    },
    getFault: () => fault,
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
