import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findUserCache, type CacheEnvironment } from '@packs/client/user-folder'

/**
 * Returns the folder of the build cache: `node_modules/.cache/packs` of the nearest folder upward that has a `package.json`, if it
 * has `node_modules`, and otherwise a folder in the user's cache. It need not exist.
 *
 * @param cwd absolute path
 */
export function findCacheFolder(cwd: string, environment?: CacheEnvironment): string {
  const project = findUpward(cwd, ['package.json'])
  if (project !== undefined && isFolder(join(project, 'node_modules'))) {
    return join(project, 'node_modules', '.cache', 'packs')
  }
  return findUserCache(environment)
}

/** Returns the nearest folder, from `cwd` upward, that has one of the files. */
export function findUpward(cwd: string, names: readonly string[]): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const place = folder
    if (names.some((name) => existsSync(join(place, name)))) return folder
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
