import { join } from 'node:path'
import { makeFolder, openUserFolder } from '@packs/client/files'
import { createCacheEntries } from '@packs/client/node'
import { digestProgram, loadSecret } from './cache-keys.ts'

/** An index of files, with what else reading them gave. */
export interface StoredIndex<Notes> {
  readonly index: Uint8Array
  /** Becomes JSON. */
  readonly notes: Notes
}

/** Most bytes of an index that is stored, and of all together. */
const MAX_INDEX = 128 * 1024 * 1024
const MAX_INDEXES = 256 * 1024 * 1024

const LINE_END = 10

/**
 * Returns the index of some files from the user's cache, or else builds and stores it. An entry
 * counts only with a code under this user's secret, and its key has a digest of the program, so
 * that what counts has the format of this program. No fault of the cache is an error.
 *
 * @param inputs everything besides the program that the index depends on, such as digests of files
 * @param isUsed `false` neither reads nor writes the cache
 */
export async function loadStoredIndex<Notes>(
  inputs: unknown,
  isUsed: boolean,
  build: () => Promise<StoredIndex<Notes>>,
): Promise<StoredIndex<Notes>> {
  const folder = isUsed ? openIndexFolder() : undefined
  if (folder === undefined) return build()
  const key = JSON.stringify(['index', digestProgram(), inputs])
  const entries = createCacheEntries({
    entryBytes: MAX_INDEX,
    bytes: MAX_INDEXES,
    getSecret: loadSecret,
  })
  const entry = entries.read(folder, key)
  if (typeof entry === 'object') {
    const end = entry.indexOf(LINE_END)
    return {
      notes: JSON.parse(entry.toString('utf8', 0, end)) as Notes,
      index: entry.subarray(end + 1),
    }
  }
  const built = await build()
  const notes = Buffer.from(`${JSON.stringify(built.notes)}\n`)
  if (notes.length + built.index.length > MAX_INDEX) return built
  try {
    entries.write(folder, key, Buffer.concat([notes, built.index]))
  } catch {
    // The next run builds the index again.
  }
  return built
}

/** Indexes have a folder of their own, because entries of a folder share its limit. */
function openIndexFolder(): string | undefined {
  const parent = openUserFolder()
  if (parent === undefined) return undefined
  const folder = join(parent, 'indexes')
  try {
    makeFolder(folder, 0o700)
    return folder
  } catch {
    return undefined
  }
}
