import { lstatSync } from 'node:fs'
import { type CheckedFolder, openClientFolder, openPrivateFolder } from '../files/user-folder.ts'
import type { Cache } from '../types.ts'
import { attempt, createCacheEntries } from './cache-entries.ts'

/** A cache in a folder that reports why it kept nothing. */
export interface FolderCache extends Cache {
  /**
   * Returns why the last `set` kept nothing, with the path; undefined if it kept its value.
   */
  fault(): string | undefined
}

/** Options of a folder cache. */
export interface FolderCacheOptions {
  /** Most bytes of all entries. @default 268435456 (256 MiB) */
  readonly bytes?: number | undefined
}

const MAX_BYTES = 256 * 1024 * 1024

/**
 * Creates a cache in a folder, for any number of processes. The least recently used
 * entries are removed.
 *
 * A folder that others can write to is not used, because its contents are trusted like answers of
 * the catalog. A problem with the folder is never an error: the cache is then empty, and keeps
 * nothing. `fault` says why.
 *
 * @param folder @default `packs/client` in the user's cache folder (`XDG_CACHE_HOME`, else
 *   `~/.cache`)
 * @example
 * const catalog = createClient({ url, key, cache: createFolderCache() })
 */
export function createFolderCache(folder?: string, options: FolderCacheOptions = {}): FolderCache {
  const { bytes: limit = MAX_BYTES } = options
  // Packs of a lock stay, however long they are not used. Only this user can write to the folder, so a checksum is enough.
  const entries = createCacheEntries({
    entryBytes: limit,
    bytes: limit,
    unusedMs: Infinity,
    getSecret: () => Buffer.from('known'),
  })
  let opened: CheckedFolder | undefined
  let fault: string | undefined
  const open = (): CheckedFolder => {
    if (opened === undefined || opened.fault !== undefined)
      opened = folder === undefined ? openClientFolder() : openPrivateFolder(folder)
    return opened
  }
  /** Returns why the value was not kept. */
  const keep = (key: string, value: string): string | undefined => {
    const { folder: path, fault: why } = open()
    if (why !== undefined) return `${path} ${why}`
    if (!value.isWellFormed()) return 'the text has half of a surrogate pair'
    const data = Buffer.from(value)
    if (data.length > limit) return `the text is larger than the cache limit of ${limit} bytes`
    try {
      entries.write(path, key, data)
    } catch (error) {
      // The folder may have been removed or replaced.
      opened = undefined
      return describeFailure(path, error as NodeJS.ErrnoException)
    }
    return undefined
  }
  return {
    get(key) {
      const checked = attempt(open)
      if (checked === undefined || checked.fault !== undefined) return Promise.resolve(undefined)
      const found = attempt(() => entries.read(checked.folder, key))
      return Promise.resolve(found === 'damaged' ? undefined : found?.toString())
    },
    set(key, value) {
      try {
        fault = keep(key, value)
      } catch (error) {
        fault = error instanceof Error ? error.message : String(error)
      }
      return Promise.resolve()
    },
    fault: () => fault,
  }
}

function describeFailure(folder: string, error: NodeJS.ErrnoException & { readonly dest?: string }): string {
  const { code = String(error), dest } = error
  if (dest !== undefined && lstatSync(dest, { throwIfNoEntry: false })?.isDirectory())
    return `${dest} is a folder with files where a cache entry should be; remove it`
  return `${folder} cannot be written to (${code})`
}
