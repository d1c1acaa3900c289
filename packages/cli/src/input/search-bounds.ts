import { realpathSync, lstatSync, type Stats } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { findRegularFile } from '@packs/client/node'
import ignore from 'ignore'
import type { Ignore } from 'ignore'
import type picomatch from 'picomatch'
import type * as tinyglobby from 'tinyglobby'
import { CliError } from '../cli-error.ts'
import { linkedOutputError } from '../output/write-file.ts'

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
function findLeftFolder(path: string, folder: string): string | undefined {
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
export function findInputLink(path: string, folder: string, shown: string): CliError | undefined {
  const place = findLeftFolder(path, folder)
  if (place === undefined) return undefined
  const message = `${shown} leads out of ${place}, through a symbolic link`
  const hint = 'replace the link with a copy, or name what it leads to on the command line'
  return new CliError('linked_input', message, hint, { file: shown })
}

/** Checks an output that the command line does not name. */
export function checkOutputLink(path: string, folder: string, shown: string): void {
  const place = findLeftFolder(path, folder)
  if (place !== undefined) throw linkedOutputError(shown, `a symbolic link leads out of ${place}`)
}

/** A link to a device would never end. */
const MAX_BYTES = 1024 * 1024
const FILES = ['.gitignore', '.packignore']

/** Tells whether the `.gitignore` and `.packignore` files above a path ignore it. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean

/**
 * Includes the ignore files of parents up to the repository root, unless those ignore the folder
 * itself. The nearest matching file wins.
 */
export function createIgnoreRules(folder: string): IgnoreRules {
  const cache = new Map<string, Ignore | null>()
  const top = findRepository(folder) ?? folder
  const isFolderIgnored = top !== folder && isIgnored(folder, true, top, cache)
  return (path, isFolder) => isIgnored(path, isFolder, isFolderIgnored ? folder : top, cache)
}

function isIgnored(path: string, isFolder: boolean, top: string, cache: Map<string, Ignore | null>): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const rules = readRules(folder, cache)
    if (rules) {
      const name = relative(folder, path).split(sep).join('/')
      const { ignored, unignored } = rules.test(isFolder ? `${name}/` : name)
      if (ignored) return true
      if (unignored) return false
    }
    if (folder === top || folder === dirname(folder)) return false
  }
}

function readRules(folder: string, cache: Map<string, Ignore | null>): Ignore | null {
  const cached = cache.get(folder)
  if (cached !== undefined) return cached
  const texts = FILES.map(
    (name) => findRegularFile(join(folder, name), MAX_BYTES)?.data.toString() ?? '',
  ).filter((text) => text !== '')
  const rules = texts.length === 0 ? null : ignore().add(texts.join('\n'))
  cache.set(folder, rules)
  return rules
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
function findEntry(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const require = createRequire(import.meta.url)

/** Loads picomatch when it is needed: a build of named files and folders has no globs. */
export function loadPicomatch(): typeof picomatch {
  return require('picomatch') as typeof picomatch
}

export function loadTinyglobby(): typeof tinyglobby {
  return require('tinyglobby') as typeof tinyglobby
}
