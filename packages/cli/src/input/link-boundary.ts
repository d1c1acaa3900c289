import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { CliError } from '../cli-error.ts'
import { linkedOutputError } from '../output/write-file.ts'
import { findRepository } from './ignore-rules.ts'

/** Resolves the links of an absolute path, as far as it exists. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(resolveLinks(dirname(path)), basename(path))
  }
}

/**
 * Returns the folder that a path leaves through a symbolic link: the repository of a folder, or without one the folder itself.
 * Undefined if it stays inside, and if it leads out without any link. The folder `.git`, which may hold keys, counts as outside.
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

/** Returns the error for a path that was found in a folder, or that a configuration in it names, if a link leads out. */
export function findInputLink(path: string, folder: string, shown: string): CliError | undefined {
  const place = findLeftFolder(path, folder)
  if (place === undefined) return undefined
  const message = `${shown} leads out of ${place}, through a symbolic link`
  const hint = 'replace the link by a copy, or name what it leads to on the command line'
  return new CliError('linked_input', message, hint, { file: shown })
}

/** Checks an output that the command line does not name. @throws CliError `linked_output` */
export function checkOutputLink(path: string, folder: string, shown: string): void {
  const place = findLeftFolder(path, folder)
  if (place !== undefined) throw linkedOutputError(shown, `a symbolic link leads out of ${place}`)
}
