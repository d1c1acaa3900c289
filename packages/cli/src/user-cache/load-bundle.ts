import { lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import { openUserFolder, readFile, writePrivately } from '@packs/client/user-folder'

/** Some ten times the size of all functions. */
const MAX_BYTES = 32 * 1024 * 1024
/** V8 drops functions that have not been called for some time. A run that is longer stores none. */
const KEPT_MS = 60 * 1000
/** Code that was not used for this long is removed: that of other versions. */
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000
const PREFIX = 'program-'

/** What `tsc -b` writes in a workspace. No published package has these files. */
const BUILDS = [
  '.tsbuildinfo',
  '../../client/dist/.tsbuildinfo',
  '../../codec/dist/.tsbuildinfo',
  '../../codec/dist/.task-thread.tsbuildinfo',
  '../../search/dist/.tsbuildinfo',
]

/** What the script is given. */
interface BundleHost {
  /** Returns the address of a module from its path in the folder of the script. */
  readonly url: (path: string) => string
  /** Called before a part is imported that not every run needs. */
  readonly use: (part: string) => void
  /** Imports a module that the script does not contain. */
  readonly load: (url: string) => Promise<unknown>
}

type Bundle = (require: NodeJS.Require, module: { exports: unknown }, bundle: BundleHost) => void

/**
 * Loads the program from one script, which `scripts/bundle-program.js` joins from its modules. Compiled functions of all parts that
 * were used so far are kept in the user's cache. Node's own cache has only the functions that run while a module is loaded, and each
 * module costs a search of its own.
 *
 * @param file the script
 * @param folder where compiled functions are kept
 * @returns the exports of the script, or undefined if there is none, or an older one than the modules beside it
 */
export function loadBundle<Exports>(
  file: URL,
  folder: string | undefined = findFolder(),
): Exports | undefined {
  const source = readSource(file)
  if (source === undefined) return undefined
  const sum = crc32(source)
  const path = folder === undefined ? undefined : join(folder, nameCode(sum))
  const stored = path === undefined ? undefined : readCode(path, sum)
  // The script is ASCII.
  const script = new Script(source.toString('latin1'), {
    filename: fileURLToPath(file),
    cachedData: stored?.code,
  })
  const known = script.cachedDataRejected === false ? stored?.parts : undefined
  const parts = new Set(known)
  if (path !== undefined) {
    process.once('exit', () => {
      const isNew = known === undefined || parts.size > known.length
      if (isNew && performance.now() < KEPT_MS) storeCode(path, script.createCachedData(), parts, sum)
    })
  }
  const module = { exports: {} }
  const run = script.runInThisContext() as Bundle
  run(createRequire(file), module, {
    url: (name) => new URL(name, file).href,
    use: (part) => void parts.add(part),
    load: (url) => import(url),
  })
  return module.exports as Exports
}

function findFolder(): string | undefined {
  return process.env['NODE_DISABLE_COMPILE_CACHE'] ? undefined : openUserFolder()
}

function readSource(file: URL): Buffer | undefined {
  const built = readTime(file)
  if (built === undefined) return undefined
  const times = BUILDS.map((path) => readTime(new URL(path, file)) ?? 0)
  return times.some((time) => time > built) ? undefined : readFileSync(file)
}

function readTime(file: URL): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}

/** Names a file by all that the code depends on. */
function nameCode(sum: number): string {
  const { version, arch, execArgv, env } = process
  const options = [version, arch, ...execArgv, env['NODE_OPTIONS'] ?? ''].join('\n')
  return `${PREFIX}${crc32(options, sum).toString(16).padStart(8, '0')}`
}

/** The functions that are kept, and the parts that were used when they were compiled. */
interface StoredCode {
  readonly code: Buffer
  readonly parts: readonly string[]
}

/**
 * Reads a file of code, parts, the size of the parts and a checksum, in which that of the source is. V8 checks the version and the
 * size of the source of such code, but not the code.
 */
function readCode(path: string, sum: number): StoredCode | undefined {
  const file = readFile(path, MAX_BYTES, true)
  const end = file === undefined ? -1 : file.length - 8
  if (file === undefined || end < 0) return undefined
  if (crc32(file.subarray(0, -4), sum) !== file.readUInt32LE(end + 4)) return undefined
  const start = end - file.readUInt32LE(end)
  return { code: file.subarray(0, start), parts: file.toString('latin1', start, end).split('\n') }
}

function storeCode(path: string, code: Buffer, parts: ReadonlySet<string>, sum: number): void {
  const list = Buffer.from([...parts].join('\n'), 'latin1')
  const file = Buffer.concat([code, list, Buffer.alloc(8)])
  file.writeUInt32LE(list.length, file.length - 8)
  file.writeUInt32LE(crc32(file.subarray(0, -4), sum), file.length - 4)
  try {
    writePrivately(path, file)
    removeUnused(dirname(path))
  } catch {
    // The next run compiles the functions again.
  }
}

function removeUnused(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (name.startsWith(PREFIX) && Date.now() - lstatSync(path).mtimeMs > UNUSED_MS) rmSync(path)
  }
}
