import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

/** What decides where the user's cache is. */
export interface CacheEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly home: string
}

/**
 * Returns the folder of the build cache: `node_modules/.cache/packs` of the nearest folder upward that has a `package.json`, if it
 * has `node_modules`, and otherwise a folder in the user's cache. It need not exist.
 *
 * @param cwd absolute path
 */
export function findCacheFolder(cwd: string, environment: CacheEnvironment = readEnvironment()): string {
  const project = findProject(cwd)
  if (project !== undefined && isFolder(join(project, 'node_modules'))) {
    return join(project, 'node_modules', '.cache', 'packs')
  }
  return findUserCache(environment)
}

/**
 * Returns a folder that only this user can write to, for what serves the runs in all projects: in the user's cache, or else in the
 * folder of temporary files. Undefined if there is none.
 *
 * What is in it becomes part of the running program. So a folder of another user, or one that others can write to, is not used.
 */
export function openUserFolder(
  environment: CacheEnvironment = readEnvironment(),
  temporary: string = tmpdir(),
): string | undefined {
  return [findUserCache(environment), nameTemporary(temporary)].find(isPrivate)
}

/** Each user has a folder of another name. */
function nameTemporary(temporary: string): string {
  return join(temporary, `packs-${process.getuid?.() ?? 'user'}`)
}

function isPrivate(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const stats = lstatSync(folder)
    accessSync(folder, constants.W_OK)
    const isOwn = process.getuid === undefined || stats.uid === process.getuid()
    const isSafe = process.platform === 'win32' || ((stats.mode & 0o022) === 0 && isFixed(dirname(folder)))
    return stats.isDirectory() && isOwn && isSafe
  } catch {
    return false
  }
}

/**
 * Tells whether nobody but this user and root can put another folder in the place of one in `folder`. The user's group may: many
 * systems give each user one of the same name.
 */
function isFixed(folder: string): boolean {
  const real = realpathSync(folder)
  const { uid, mode } = statSync(real)
  const isSticky = (mode & 0o1000) !== 0
  const isOwn = uid === 0 || uid === process.getuid?.()
  return isOwn && (isSticky || (mode & 0o002) === 0) && (dirname(real) === real || isFixed(dirname(real)))
}

function findProject(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (dirname(folder) === folder) return undefined
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Returns the folder in the user's cache. It need not exist. */
function findUserCache({ env, platform, home }: CacheEnvironment): string {
  // The XDG Base Directory Specification says that a relative path must be ignored.
  const xdg = env['XDG_CACHE_HOME'] ?? ''
  if (isAbsolute(xdg)) return join(xdg, 'packs')
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'packs')
  if (platform !== 'win32') return join(home, '.cache', 'packs')
  return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'packs', 'Cache')
}

function readEnvironment(): CacheEnvironment {
  return { env: process.env, platform: process.platform, home: homedir() }
}

/**
 * Sets `HOME` if the user has no home folder without it: `HOME` may be empty, which would put caches below the current folder, and
 * in many containers the system does not know the user, so that `os.homedir` throws. The home is then a private folder of temporary
 * files, or none that exists.
 */
export function ensureHome(): void {
  if (isAbsolute(call(homedir))) return
  const known = call(() => userInfo().homedir)
  const temporary = nameTemporary(tmpdir())
  process.env['HOME'] = isAbsolute(known) ? known : isPrivate(temporary) ? temporary : '/nonexistent'
}

function call(find: () => string): string {
  try {
    return find()
  } catch {
    return ''
  }
}
