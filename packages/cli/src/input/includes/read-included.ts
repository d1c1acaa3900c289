import { realpathSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { readRegularFile } from '@packs/client/files'
import type { IgnoreRules } from '../search-bounds.ts'
import type { Include } from './find-includes.ts'

/** Reads the files that includes of one source name. */
export interface IncludeReader {
  /**
   * @param folder absolute path of the folder of the file that the include is in
   * @returns undefined if there is no such file
   * @throws Error whose message says why the file is not read
   */
  read(include: Include, folder: string): { readonly path: string; readonly text: string } | undefined
  /** Returns all paths that were named, whether they exist or not. */
  paths(): readonly string[]
}

/**
 * Largest file that can be included, and the most that is read for one source, in bytes. A file
 * counts each time.
 */
const MAX_FILE = 4 * 1024 * 1024
const MAX_TOTAL = 64 * 1024 * 1024

/**
 * Creates a reader that refuses files outside the folder, links out of it, hidden and ignored
 * files.
 *
 * @param root absolute path without links
 * @param site folder of the site that `@` of VitePress is in; the folder of its pages may be below
 */
export function createIncludeReader(
  root: string,
  isIgnored: IgnoreRules,
  site: string | undefined,
): IncludeReader {
  const texts = new Map<string, string>()
  const named = new Set<string>()
  let total = 0

  function readText(path: string): string {
    const { data } = readRegularFile(path, MAX_FILE, true)
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(data)
    } catch {
      throw new Error('the file is not UTF-8 text')
    }
  }

  return {
    read({ path: written }, folder) {
      for (const path of listCandidates(written, folder, site ?? root)) {
        const reason = findFault(path, root)
        if (reason !== undefined) throw new Error(reason)
        named.add(path)
        const real = findReal(path)
        if (real === undefined) continue
        if (real !== path) throw new Error('the file is reached through a symbolic link')
        if (isIgnored(path, false)) throw new Error('the file is ignored (.gitignore or .packignore)')
        try {
          const text = texts.get(path) ?? readText(path)
          texts.set(path, text)
          total += text.length
          if (total > MAX_TOTAL)
            throw new Error(`what it includes is larger than ${MAX_TOTAL / 1024 / 1024} MiB`)
          return { path, text }
        } catch (error) {
          throw describeReadError(error as NodeJS.ErrnoException)
        }
      }
      return undefined
    },
    paths: () => [...named],
  }
}

/**
 * Returns the paths that an include may mean. `@` is the folder of a site's pages: the first one
 * above the page that has the file.
 */
function listCandidates(written: string, folder: string, top: string): string[] {
  if (!written.startsWith('@')) return [resolve(folder, written)]
  const rest = written.slice(1).replace(/^[\\/]/, '')
  const parts = relative(top, folder).split(sep)
  return [top, ...parts.map((_, at) => join(top, ...parts.slice(0, at + 1)))].map((base) => join(base, rest))
}

function findFault(path: string, root: string): string | undefined {
  const parts = relative(root, path)
  if (isAbsolute(parts) || parts.split(sep)[0] === '..') return `the file is outside of ${root}`
  if (parts.split(sep).some((part) => part.startsWith('.'))) return 'the file or its folder is hidden'
  return undefined
}

const MISSING = new Set<string | undefined>(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

/** Returns a path without links; undefined if nothing is there. */
function findReal(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if (MISSING.has((error as NodeJS.ErrnoException).code)) return undefined
    throw describeReadError(error as NodeJS.ErrnoException)
  }
}

function describeReadError(error: NodeJS.ErrnoException): Error {
  const reasons: Readonly<Record<string, string>> = {
    too_large: `the file is larger than ${MAX_FILE / 1024 / 1024} MiB`,
    not_a_file: 'it is a pipe or a device, not a file',
    EISDIR: 'it is a folder, not a file',
    ELOOP: 'the file is reached through a symbolic link',
    EACCES: 'the file cannot be read: permission denied',
  }
  return error.code === undefined ? error : new Error(reasons[error.code] ?? error.message, { cause: error })
}
