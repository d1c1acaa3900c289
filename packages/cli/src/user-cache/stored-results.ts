import { createHash, randomBytes } from 'node:crypto'
import { createPrivately, findRegularFile, openUserFolder } from '@packs/files'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCacheEntries, type CacheEntries } from '@packs/client/node'
import { locateModule } from '../package-files.ts'

const SECRET_BYTES = 32
/** A longer file is not a secret, but is read to be replaced. */
const MAX_BYTES = 1024 * 1024

/** Most bytes of a stored result: the largest pack and 16 MiB for its messages. */
const MAX_RESULT = 176 * 1024 * 1024

/**
 * Others may write to a folder of this cache, and CI services restore it, so an entry counts only
 * with a message authentication code of this user. A key has all that its result depends on.
 */
export function createStoredResults(): CacheEntries {
  let secret: Buffer | undefined
  return createCacheEntries({ entryBytes: MAX_RESULT, getSecret: () => (secret ??= loadSecret()) })
}

/** If the user's secret cannot be kept, returns one that no other run knows: no entry counts. */
function loadSecret(): Buffer {
  const secret = randomBytes(SECRET_BYTES)
  const folder = openUserFolder()
  if (folder === undefined) return secret
  const file = join(folder, 'build-cache-key')
  const read = (): Buffer | undefined => findRegularFile(file, MAX_BYTES, true)?.data
  const known = read()
  if (known?.length === SECRET_BYTES) return known
  try {
    if (known !== undefined) rmSync(file)
    createPrivately(file, secret)
  } catch {
    // Either another program was first, and both use its secret, or the folder is not writable.
  }
  const created = read()
  return created?.length === SECRET_BYTES ? created : secret
}

/** Digests the program and the version of Node, whose Unicode tables codec and search use. */
export function digestProgram(files: readonly string[] = listFiles()): string {
  const digest = createHash('sha256').update(process.version)
  for (const file of files) {
    const data = readFileSync(file)
    digest.update(`\n${data.length}\n`).update(data)
  }
  return digest.digest('hex')
}

/** In the bundle, the name of a chunk has a digest of its content and imports. */
function listFiles(): string[] {
  const entries = ['main', 'build-run/build-worker'].map((name) => fileURLToPath(locateModule(name)))
  const [main = ''] = entries
  if (extname(main) === '.js') return entries
  const { resolve } = createRequire(import.meta.url)
  return [main, ...['codec', 'files', 'search'].map((name) => resolve(`@packs/${name}`))].flatMap((entry) =>
    listModules(dirname(entry)),
  )
}

function listModules(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name))
}

/** An index of files, with what else reading them gave. */
export interface StoredIndex<Notes> {
  readonly index: Uint8Array
  readonly notes: Notes
}

const LINE_END = 10

/**
 * Takes an index from the user's cache, or builds and stores it. No fault of the cache is an error.
 * @param inputs everything besides the program that the index depends on, such as digests of files
 */
export async function loadStoredIndex<Notes>(
  inputs: unknown,
  build: () => Promise<StoredIndex<Notes>>,
): Promise<StoredIndex<Notes>> {
  const folder = openUserFolder()
  if (folder === undefined) return build()
  const key = JSON.stringify(['index', digestProgram(), inputs])
  const entries = createStoredResults()
  const entry = entries.read(folder, key)
  if (typeof entry === 'object') {
    const end = entry.indexOf(LINE_END)
    const notes = JSON.parse(entry.toString('utf8', 0, end)) as Notes
    return { notes, index: entry.subarray(end + 1) }
  }
  const built = await build()
  const notes = Buffer.from(`${JSON.stringify(built.notes)}\n`)
  if (notes.length + built.index.length > MAX_RESULT) return built
  try {
    entries.write(folder, key, Buffer.concat([notes, built.index]))
  } catch {
    // The next run builds the index again.
  }
  return built
}
