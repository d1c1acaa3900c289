import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
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
export function findCacheFolder(
  cwd: string,
  environment: CacheEnvironment = { env: process.env, platform: process.platform, home: homedir() },
): string {
  const project = findProject(cwd)
  if (project !== undefined && isFolder(join(project, 'node_modules'))) {
    return join(project, 'node_modules', '.cache', 'packs')
  }
  return findUserCache(environment)
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

/** The XDG Base Directory Specification says that a relative path must be ignored. */
function findUserCache({ env, platform, home }: CacheEnvironment): string {
  const xdg = env['XDG_CACHE_HOME'] ?? ''
  if (isAbsolute(xdg)) return join(xdg, 'packs')
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'packs')
  if (platform !== 'win32') return join(home, '.cache', 'packs')
  return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'packs', 'Cache')
}
