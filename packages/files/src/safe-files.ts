import {
  type Stats,
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { homedir, tmpdir, userInfo } from 'node:os'

/** A file as it was when it was read. */
export interface ReadFile {
  readonly data: Buffer
  readonly stats: Stats
}

/** On Windows the last two are undefined, which counts as 0. */
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
const CHUNK_BYTES = 64 * 1024

/**
 * Reads a regular file, and never more than the limit, even if it grows meanwhile.
 * @param limit most bytes
 * @param isLinkRefused whether it is an error if the path is a link
 * @throws Error of the file system; with the code `not_a_file` for a pipe or a device, `too_large`
 */
export function readRegularFile(path: string, limit: number, isLinkRefused = false): ReadFile {
  const file = openSync(path, O_RDONLY | O_NONBLOCK | (isLinkRefused ? O_NOFOLLOW : 0))
  try {
    const stats = fstatSync(file)
    // Reading a folder fails with the error of the system.
    if (!stats.isFile() && !stats.isDirectory()) throw fileError('not_a_file', 'it is not a file')
    return { data: readUpTo(file, stats.size, limit), stats }
  } finally {
    closeSync(file)
  }
}

function readUpTo(file: number, expected: number, limit: number): Buffer {
  const chunks: Buffer[] = []
  let length = 0
  for (let size = expected + 1; Math.max(expected, length) <= limit;) {
    const chunk = Buffer.allocUnsafe(size)
    const read = readSync(file, chunk)
    if (read === 0) return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    chunks.push(chunk.subarray(0, read))
    length += read
    // One byte tells whether a file that has not grown ends here.
    size = length === expected ? 1 : CHUNK_BYTES
  }
  throw fileError('too_large', 'it is too large')
}

function fileError(code: 'not_a_file' | 'too_large', message: string): Error {
  return Object.assign(new Error(message), { code })
}

/** As {@link readRegularFile} does, or undefined on any error. */
export function findRegularFile(path: string, limit: number, isLinkRefused = false): ReadFile | undefined {
  try {
    return readRegularFile(path, limit, isLinkRefused)
  } catch {
    return undefined
  }
}

/**
 * Writes a file atomically: no reader ever sees a part of it. Its mode and links to it are kept. A
 * file that already holds these bytes is not touched. Devices and pipes are written to directly.
 *
 * All of this is synchronous, so that no signal handler can interrupt it.
 * @param isWanted called before the last step; the file stays unchanged if it returns false
 * @returns whether the file was written
 * @throws Error of the file system
 */
export function updateFile(path: string, data: Uint8Array, isWanted: () => boolean = () => true): boolean {
  const existing = statSync(path, { throwIfNoEntry: false })
  if (existing !== undefined && !existing.isFile() && !existing.isDirectory()) {
    writeFileSync(path, data)
    return true
  }
  if (existing?.isFile() && existing.size === data.length && readFileSync(path).equals(data)) return false
  return replaceFile(existing ? realpathSync(path) : path, data, existing, isWanted)
}

/**
 * Atomically replaces what is at a path, even a link, after flushing the bytes to disk.
 * @param existing the present file, whose mode the new one gets
 * @param isWanted called before the last step; nothing is replaced if it returns false
 * @returns whether it was replaced
 * @throws Error of the file system
 */
export function replaceFile(
  path: string,
  data: Uint8Array,
  existing?: Stats,
  isWanted: () => boolean = () => true,
): boolean {
  const mode = existing ? existing.mode & 0o777 : 0o666
  return finishFile(path, data, { mode, isFlushed: true }, (draft) => {
    const isReplaced = isWanted()
    if (isReplaced) renameSync(draft, path)
    return isReplaced
  })
}

const PRIVATE = { mode: 0o600, isFlushed: false }

/**
 * Atomically, for this user only.
 * @throws Error of the file system
 */
export function replacePrivately(path: string, data: Uint8Array): void {
  finishFile(path, data, PRIVATE, (draft) => renameSync(draft, path))
}

/**
 * Of several programs that create it at the same time, one succeeds.
 * @throws Error of the file system: `EEXIST` if the path exists
 */
export function createPrivately(path: string, data: Uint8Array): void {
  finishFile(path, data, PRIVATE, (draft) => linkSync(draft, path))
}

/** Writes a file under a temporary name, in the folder where `finish` puts it. */
function finishFile<T>(
  path: string,
  data: Uint8Array,
  { mode, isFlushed }: { readonly mode: number; readonly isFlushed: boolean },
  finish: (draft: string) => T,
): T {
  const unique = Math.random().toString(36).slice(2)
  const draft = join(dirname(path), `.${basename(path)}.${unique}.tmp`)
  const file = openSync(draft, 'wx', mode)
  try {
    try {
      writeFileSync(file, data)
      if (isFlushed) fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return finish(draft)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** What determines where the user's cache is. */
export interface CacheEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  /** Empty if the user has none. */
  readonly home: string
}

/**
 * Returns a folder that only this user can write to, for data shared by all projects: in the user's
 * cache, or else in the temporary folder. Undefined if there is none.
 *
 * Its contents become part of the running program, so a folder that belongs to another user, or
 * that others can write to, is not used.
 */
export function openUserFolder(
  environment: CacheEnvironment = readEnvironment(),
  temporary: string = tmpdir(),
): string | undefined {
  return [findUserCache(environment), nameTemporary(temporary)].find(
    (folder) => isAbsolute(folder) && isPrivate(folder) && isWritable(folder),
  )
}

/** A folder, and why it cannot be used, if it cannot. */
export interface CheckedFolder {
  readonly folder: string
  /** What is wrong with the folder: a predicate to write after its name. */
  readonly fault: string | undefined
}

/**
 * Keeps what clients received. It is private like that of {@link openUserFolder}, but may be read-
 * only, and never among temporary files: a clean-up would delete the packs of a lock.
 */
export function openClientFolder(
  environment: CacheEnvironment = readEnvironment(),
  temporary: string = tmpdir(),
): CheckedFolder {
  const cache = findUserCache(environment)
  const folder = join(cache, 'client')
  const isHomeless = !isAbsolute(cache) || cache.startsWith(join(nameTemporary(temporary), '/'))
  if (isHomeless) return { folder, fault: 'is not kept, because the user has no home folder' }
  return { folder, fault: findFault(cache) ?? findFault(folder) }
}

/** By its real path. Only this user may write to it. */
export function openPrivateFolder(folder: string): CheckedFolder {
  try {
    makeFolder(resolve(folder), 0o700)
    const real = realpathSync(folder)
    return { folder: real, fault: findFault(real) }
  } catch (error) {
    return { folder, fault: describeFailure(error) }
  }
}

/** It need not exist; it is relative if the user has no home. */
export function findUserCache({ env, platform, home }: CacheEnvironment = readEnvironment()): string {
  // The XDG Base Directory Specification says that a relative path must be ignored.
  const xdg = env['XDG_CACHE_HOME'] ?? ''
  if (isAbsolute(xdg)) return join(xdg, 'packs')
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'packs')
  if (platform !== 'win32') return join(home, '.cache', 'packs')
  return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'packs', 'Cache')
}

/**
 * Sets `HOME` if the user has no home folder without it: `HOME` may be empty, which would put
 * caches below the current folder, and in many containers the system does not know the user, so
 * that `os.homedir` throws. The home is then a private temporary folder, or none that exists.
 */
export function ensureHome(): void {
  if (isAbsolute(call(homedir))) return
  const known = call(() => userInfo().homedir)
  const temporary = nameTemporary(tmpdir())
  process.env['HOME'] = isAbsolute(known) ? known : isPrivate(temporary) ? temporary : '/nonexistent'
}

/**
 * One at a time: the recursive `mkdirSync` of Node never returns where no folder can be created, as
 * in `/proc`.
 * @param mode of the folders that are created
 */
export function makeFolder(folder: string, mode?: number): void {
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error
    makeFolder(dirname(folder), mode)
    mkdirSync(folder, { mode })
  }
}

function readEnvironment(): CacheEnvironment {
  return { env: process.env, platform: process.platform, home: call(homedir) }
}

/** The name differs for each user. */
function nameTemporary(temporary: string): string {
  return join(temporary, `packs-${process.getuid?.() ?? 'user'}`)
}

function isPrivate(folder: string): boolean {
  return findFault(folder) === undefined
}

/** Returns why a folder is not private. Creates it if it is missing. */
function findFault(folder: string): string | undefined {
  try {
    makeFolder(folder, 0o700)
    const stats = lstatSync(folder)
    return stats.isDirectory() ? findForeignAccess(folder, stats, true) : 'is a link'
  } catch (error) {
    return describeFailure(error)
  }
}

/** A path, and how users other than this one and root can change what is there. */
interface ForeignAccess {
  readonly path: string
  /** A predicate to write after the path. */
  readonly fault: string
}

/**
 * Tells whether users other than this one and root can change a file or its neighbors, by the rules
 * of private folders, except that root may own it, and the user's own group may write: systems with
 * the mask 002 give each user a group with the user's number. Links are followed.
 * @throws Error of the file system
 */
export function findForeignWriter(path: string): ForeignAccess | undefined {
  const real = realpathSync(path)
  for (const one of [realpathSync(dirname(path)), dirname(real), real]) {
    const fault = findForeignAccess(one, statSync(one), false)
    if (fault !== undefined) return { path: one, fault }
  }
  return undefined
}

/** Returns how others can change what is at a path. */
function findForeignAccess(path: string, { uid, gid, mode }: Stats, isPrivate: boolean): string | undefined {
  const user = process.getuid?.()
  if (user === undefined || process.platform === 'win32') return undefined
  if (uid !== user && (isPrivate || uid !== 0)) return 'belongs to another user'
  const isOwnGroup = !isPrivate && gid === user && gid === process.getgid?.()
  if ((mode & (isOwnGroup ? 0o002 : 0o022)) !== 0) return 'can be written by others'
  const open = findOpenParent(dirname(path))
  return open && `can be replaced by others, through ${open}`
}

/**
 * Other users may read or replace the file. Systems provide secrets as files of root.
 * @param stats of the file when it was opened
 */
export function findExposure(path: string, { mode, uid }: Stats): string | undefined {
  if (process.platform === 'win32') return undefined
  if (uid !== 0 && uid !== process.getuid?.()) return 'belongs to another user'
  if ((mode & 0o077) !== 0) return 'can be read or written by others'
  // The path may be a link to a file in another folder.
  const open = findOpenParent(dirname(path)) ?? findOpenParent(dirname(realpathSync(path)))
  return open && `can be replaced by others, through ${open}`
}

function describeFailure(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'is a file, or below one'
  return `cannot be created (${code ?? 'unknown error'})`
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * A folder or parent in which others can replace a folder. The user's group may: many systems give
 * each user a group of the same name.
 */
function findOpenParent(folder: string): string | undefined {
  const real = realpathSync(folder)
  const { uid, mode } = statSync(real)
  const isSticky = (mode & 0o1000) !== 0
  const isOwn = uid === 0 || uid === process.getuid?.()
  if (!isOwn || !(isSticky || (mode & 0o002) === 0)) return real
  return dirname(real) === real ? undefined : findOpenParent(dirname(real))
}

function call(find: () => string): string {
  try {
    return find()
  } catch {
    return ''
  }
}
