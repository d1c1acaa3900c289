import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Reads and writes small files of the cache; both may fail silently. */
export interface DigestStore {
  read(name: string): Uint8Array | undefined
  write(name: string, data: Uint8Array): void
}

/** File with the digests of programs that were seen before. */
const KNOWN_FILE = 'programs.json'
/** One for each installation that uses the same cache, and one for each condition (`dist`, `src`). */
const MAX_KNOWN = 16

/** The digest of a program, and the stamp of its files. */
interface KnownProgram {
  readonly stamp: string
  readonly digest: string
}

/**
 * Returns a digest of everything but the request that decides how a source is built: the files of the codec, the files of this
 * program that call it, and the version of Node, whose Unicode tables the codec uses.
 *
 * Reading all files takes some 30 ms. So their digest is stored under a stamp: paths, sizes, inodes and times, which no change of a
 * file leaves as they are.
 */
export function digestProgram(store: DigestStore, folders: readonly string[] = listFolders()): string {
  const files = folders.flatMap(listFiles)
  const stamp = stampFiles(files)
  const known = readKnown(store)
  const same = known.find((entry) => entry.stamp === stamp)
  if (same !== undefined) return same.digest
  const digest = digestFiles(files)
  const kept = [{ stamp, digest }, ...known].slice(0, MAX_KNOWN)
  store.write(KNOWN_FILE, Buffer.from(JSON.stringify(kept)))
  return digest
}

/** Folders with the code that decides what a build gives. */
function listFolders(): string[] {
  const require = createRequire(import.meta.url)
  const own = dirname(dirname(fileURLToPath(import.meta.url)))
  const beside = ['output', 'prompt', 'user-cache'].map((name) => join(dirname(own), name))
  return [dirname(require.resolve('@packs/codec')), own, ...beside]
}

interface ProgramFile {
  readonly path: string
  /** Path that is the same in every installation. */
  readonly name: string
}

/** Lists the modules of a folder, and the `package.json` beside it with the versions of its dependencies. */
function listFiles(folder: string, at: number): ProgramFile[] {
  const modules = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.d)\.[jt]s$/.test(name))
    .toSorted()
    .map((name) => join(folder, name))
  const manifest = join(dirname(folder), 'package.json')
  const paths = at === 0 ? [manifest, ...modules] : modules
  return paths.map((path) => ({
    path,
    name: `${at}/${relative(dirname(folder), path).replaceAll(sep, '/')}`,
  }))
}

function stampFiles(files: readonly ProgramFile[]): string {
  const hash = createHash('sha256').update(process.version)
  for (const { path } of files) {
    const { size, ino, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    hash.update(`\n${path} ${size} ${ino} ${mtimeNs} ${ctimeNs}`)
  }
  return hash.digest('hex')
}

function digestFiles(files: readonly ProgramFile[]): string {
  const hash = createHash('sha256').update(process.version)
  for (const { path, name } of files) {
    const data = readFileSync(path)
    hash.update(`\n${name} ${data.length}\n`).update(data)
  }
  return hash.digest('hex')
}

function readKnown(store: DigestStore): KnownProgram[] {
  try {
    const known: unknown = JSON.parse(Buffer.from(store.read(KNOWN_FILE) ?? []).toString())
    return Array.isArray(known) && known.every(isKnown) ? known.slice(0, MAX_KNOWN) : []
  } catch {
    return []
  }
}

function isKnown(value: unknown): value is KnownProgram {
  const { stamp, digest } = (value ?? {}) as Readonly<Record<string, unknown>>
  return isDigest(stamp) && isDigest(digest)
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}
