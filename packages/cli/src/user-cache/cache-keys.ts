import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPrivately, findRegularFile, openUserFolder } from '@packs/client/files'
import { locateModule } from '../package-files.ts'

const SECRET_BYTES = 32
/** A longer file is not a secret, but is read to be replaced. */
const MAX_BYTES = 1024 * 1024

/**
 * Reads this user's secret from the private folder, or creates it. If that fails, it returns a
 * secret that no other run knows, so that no entry counts.
 */
export function loadSecret(): Buffer {
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

/**
 * Returns a digest of everything except the request that decides a cached result: the program,
 * and the version of Node, whose Unicode tables the codec and the search use.
 *
 * @param files the modules of the program, or those that import all others by names with digests
 */
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
  return [main, resolve('@packs/codec'), resolve('@packs/search')].flatMap((entry) =>
    listModules(dirname(entry)),
  )
}

function listModules(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .map((name) => join(folder, name))
}
