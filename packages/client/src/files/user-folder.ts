import { accessSync, constants, lstatSync, mkdirSync, realpathSync, statSync, type Stats } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'

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
  return listUserFolders(environment, temporary).find((folder) => isPrivate(folder) && isWritable(folder))
}

/** A folder, and why it cannot be used, if it cannot. */
export interface CheckedFolder {
  readonly folder: string
  /** What is wrong with the folder: a predicate to write after its name. */
  readonly fault: string | undefined
}

/**
 * Opens the folder `client` in the user's cache, which keeps what clients received. It is private
 * like that of {@link openUserFolder}, but may be read-only. It is never among temporary files,
 * because a clean-up would delete the packs of a lock.
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

/**
 * Opens a folder by its real path, and creates it if it is missing. Only this user may write to it.
 */
export function openPrivateFolder(folder: string): CheckedFolder {
  try {
    makeFolder(resolve(folder), 0o700)
    const real = realpathSync(folder)
    return { folder: real, fault: findFault(real) }
  } catch (error) {
    return { folder, fault: describeFailure(error) }
  }
}

/**
 * Returns the folder in the user's cache. It need not exist; it is relative if the user has no
 * home.
 */
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
 * that `os.homedir` throws. The home is then a private folder of temporary files, or none that
 * exists.
 */
export function ensureHome(): void {
  if (isAbsolute(call(homedir))) return
  const known = call(() => userInfo().homedir)
  const temporary = nameTemporary(tmpdir())
  process.env['HOME'] = isAbsolute(known) ? known : isPrivate(temporary) ? temporary : '/nonexistent'
}

/**
 * Creates a folder and its missing parents, one at a time. The recursive option of Node's
 * `mkdirSync` never returns on a file system that answers "not found" to every new folder, as
 * `/proc` does.
 *
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

function listUserFolders(environment: CacheEnvironment, temporary: string): string[] {
  return [findUserCache(environment), nameTemporary(temporary)].filter((folder) => isAbsolute(folder))
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
export interface ForeignAccess {
  readonly path: string
  /** A predicate to write after the path. */
  readonly fault: string
}

/**
 * Tells whether users other than this one and root can change a file or its neighbors, by the rules
 * of private folders, except that root may own it, and the user's own group may write: systems with
 * the mask 002 give each user a group with the user's number. Links are followed.
 *
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
 * Returns why a file is not secret: other users may read it, or replace it. Files of root are
 * accepted, because systems provide secrets that way.
 *
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
 * Finds a folder, this one or a parent, in which users other than this one and root can replace a
 * folder. The user's group may: many systems give each user a group of the same name.
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
