import { lstatSync } from 'node:fs'
import { type CheckedFolder, openClientFolder, openPrivateFolder } from '../files/user-folder.ts'
import type { Cache } from '../types.ts'
import { attempt, createCacheEntries } from './cache-entries.ts'

/** A cache in a folder, which can say why it kept nothing. */
export interface FolderCache extends Cache {
  /**
   * Says why the last `set` kept nothing, with the path concerned; undefined if it kept its value.
   */
  fault(): string | undefined
}

/** What of a folder cache can be changed. */
export interface FolderCacheOptions {
  /** Most bytes of all entries. @default 268435456 (256 MiB) */
  readonly bytes?: number | undefined
}

const MAX_BYTES = 256 * 1024 * 1024

/**
 * Creates a cache in a folder, for any number of processes. The entries that were not used for the
 * longest time are removed.
 *
 * A folder in which others can write is not used, because what is in it is taken for the answer of
 * the catalog. No fault of the folder is an error: the cache is then empty, and keeps nothing.
 * `fault` says why.
 *
 * @param folder @default `packs/client` in the user's cache folder (`XDG_CACHE_HOME`, else
 *   `~/.cache`)
 * @example
 * const catalog = createClient({ url, key, cache: createFolderCache() })
 */
export function createFolderCache(folder?: string, options: FolderCacheOptions = {}): FolderCache {
  const { bytes: limit = MAX_BYTES } = options
  // Packs of a lock stay, however long it is not used. Nobody else can write to the folder: a checksum is enough.
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
    const { folder: place, fault: why } = open()
    if (why !== undefined) return `${place} ${why}`
    if (!value.isWellFormed()) return 'the text has half of a surrogate pair'
    const data = Buffer.from(value)
    if (data.length > limit) return `the text is larger than the cache may be, ${limit} bytes`
    try {
      entries.write(place, key, data)
    } catch (error) {
      // The folder may have been removed, or another one be in its place.
      opened = undefined
      return describeFailure(place, error as NodeJS.ErrnoException)
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
    return `${dest} is a folder with files in it, in the place of an entry; remove it`
  return `${folder} cannot be written to (${code})`
}
