import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findForeignWriter, findUserCache, type CacheEnvironment } from '@packs/client/files'

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

/** Returns the nearest folder, from `cwd` upward, that has one of the files. Those of parents count if nobody else can change them. */
export function findUpward(cwd: string, names: readonly string[]): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const files = names.map((name) => join(folder, name)).filter((file) => existsSync(file))
    if (files.some((file) => folder === cwd || findForeignWriter(file) === undefined)) return folder
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
