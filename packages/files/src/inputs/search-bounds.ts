import { realpathSync, lstatSync, type Stats } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type picomatch from 'picomatch'
import type * as tinyglobby from 'tinyglobby'
import { FilesError } from '../files-error.ts'

/** Resolves the links of an absolute path, as far as it exists. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(resolveLinks(dirname(path)), basename(path))
  }
}

/**
 * Returns the folder that a path leaves through a link: the repository of `folder`, or without one
 * the folder itself. The folder `.git`, which may hold keys, counts as outside.
 */
export function findLeftFolder(path: string, folder: string): string | undefined {
  const start = resolveLinks(folder)
  const place = findRepository(start) ?? start
  const isInside = (one: string): boolean => {
    const short = relative(place, one)
    return !isAbsolute(short) && !short.split(sep).some((part) => part === '..' || part === '.git')
  }
  const written = resolve(start, relative(folder, path))
  return isInside(written) && !isInside(resolveLinks(path)) ? place : undefined
}

/** For a path found in a folder, or named by a configuration in it. */
export function findInputLink(path: string, folder: string, shown: string): FilesError | undefined {
  const place = findLeftFolder(path, folder)
  if (place === undefined) return undefined
  const message = `${shown} leads out of ${place}, through a symbolic link`
  const hint = 'replace the link with a copy, or name what it leads to on the command line'
  return new FilesError('linked_input', message, hint, { file: shown })
}

/** Returns the path unchanged if it would be three or more levels up, or on another drive. */
export function formatPath(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short === '' ? '.' : short.startsWith(join('..', '..', '..')) || isAbsolute(short) ? path : short
}

/**
 * A `.git` counts only if it belongs to this user, root or the owner of the folder: others could
 * create `/tmp/.git`, and with an ignore file beside it decide what is built below `/tmp`.
 */
export function findRepository(folder: string): string | undefined {
  const owners = [0, process.getuid?.(), findEntry(folder)?.uid]
  for (let at = folder; ; at = dirname(at)) {
    const found = findEntry(join(at, '.git'))
    if (found !== undefined && owners.includes(found.uid)) return at
    if (at === dirname(at)) return undefined
  }
}

/** Returns nothing of what cannot be reached, as below a file. */
export function findEntry(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Loads a library as this package finds it, even where its code is bundled into another. */
function load(name: string): unknown {
  return createRequire(createRequire(import.meta.url).resolve('@packs/files/package.json'))(name)
}

/** Loads picomatch when it is needed: a build of named files and folders has no globs. */
export const loadPicomatch = (): typeof picomatch => load('picomatch') as typeof picomatch
export const loadTinyglobby = (): typeof tinyglobby => load('tinyglobby') as typeof tinyglobby
