import { accessSync, constants, existsSync, fstatSync, lstatSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { formatPath, makeFolder, type ReadFile, readRegularFile, replaceFile, updateFile } from '@packs/files'
import { CliError } from '../cli-error.ts'

/** Writes a file in one step: through links, even to a device or a pipe. */
export function writeAtomic(path: string, data: Uint8Array): 'written' | 'unchanged' {
  try {
    return updateFile(path, data) ? 'written' : 'unchanged'
  } catch (error) {
    throw outputError(path, error as NodeJS.ErrnoException)
  }
}

/**
 * For a file whose name the program chose: refuses a link, a device or a pipe with this name. A
 * link that appears after the check is replaced, not followed.
 */
export function writeGenerated(path: string, data: Uint8Array, shown: string): 'written' | 'unchanged' {
  try {
    const existing = readExisting(path, shown)
    if (existing?.data.equals(data)) return 'unchanged'
    replaceFile(path, data, existing?.stats)
    return 'written'
  } catch (error) {
    if (error instanceof CliError) throw error
    // A link may have replaced it meanwhile.
    const refusal = error as NodeJS.ErrnoException
    throw refusal.code === 'ELOOP' ? linkedOutputError(shown) : outputError(shown, refusal)
  }
}

export function makeOutputFolder(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    throw outputError(folder, error as NodeJS.ErrnoException)
  }
}

function readExisting(path: string, shown: string): ReadFile | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (stats.isSymbolicLink()) throw linkedOutputError(shown)
  return readRegularFile(path, Infinity, true)
}

export function linkedOutputError(shown: string, reason = 'it is a symbolic link'): CliError {
  const hint = 'remove the link, or choose another output folder; one that is named may itself be a link'
  return new CliError('linked_output', `cannot write ${shown}: ${reason}`, hint, { file: shown })
}

const REASONS: ReadonlyMap<string, readonly [problem: string, hint: string]> = new Map([
  ['ENOENT', ['its folder does not exist', 'create the folder first']],
  ['ENOTDIR', ['a part of its path is not a folder', 'choose another path']],
  ['EEXIST', ['a file with this name is in the way', 'choose another path']],
  ['EISDIR', ['it is a folder', 'name a file in it']],
  ['EACCES', ['permission denied', 'choose a path that you may write to']],
  ['EPERM', ['permission denied', 'choose a path that you may write to']],
  ['EROFS', ['the file system is read-only', 'choose a path that you may write to']],
  ['ENOSPC', ['no space left on the device', 'free some space']],
  ['ENAMETOOLONG', ['its name is too long', 'use a shorter name or slug']],
])

export function outputError(path: string, error: NodeJS.ErrnoException, verb = 'write'): CliError {
  const [reason, hint] = REASONS.get(error.code ?? '') ?? [error.message, 'choose another path']
  const problem = (error.code === 'EACCES' && findDenied(resolve(error.path ?? path))) || reason
  const details = { file: path, cause: error }
  return new CliError('output_failed', `cannot ${verb} ${path}: ${problem}`, hint, details)
}

/** Names the permission that is missing, and where; undefined if that is not the cause. */
function findDenied(path: string): string | undefined {
  const folder = dirname(path)
  if (folder !== path && !existsSync(folder)) return findDenied(folder)
  const shown = formatPath(folder, process.cwd())
  let right = `enter ${shown}`
  try {
    accessSync(folder, constants.X_OK)
    right = `write in ${shown}`
    accessSync(folder, constants.W_OK)
    right = 'read what is there'
    accessSync(path, constants.R_OK)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? `no permission to ${right}` : undefined
  }
}

/** @throws CliError `file_exists` for an output that is a source */
export type OverwriteGuard = (output: string, shown: string) => void

/** Creates a guard against a build that overwrites its own sources, also through a link. */
export function createOverwriteGuard(sources: readonly { readonly path: string }[]): OverwriteGuard {
  let known: ReadonlySet<string | undefined> | undefined
  return (output, shown) => {
    const file = identifyFile(output)
    if (file === undefined) return
    known ??= new Set(sources.map(({ path }) => identifyFile(path)))
    if (!known.has(file)) return
    const problem = `cannot write ${shown}: it is a source of this build`
    throw new CliError('file_exists', problem, 'choose another output path', { file: shown })
  }
}

/** Undefined for what is not a file. `-` is stdin. */
function identifyFile(path: string): string | undefined {
  try {
    const stats = path === '-' ? fstatSync(0, { bigint: true }) : statSync(path, { bigint: true })
    return stats.isFile() ? `${stats.dev}:${stats.ino}` : undefined
  } catch {
    // Reading or writing the file reports this error.
    return undefined
  }
}

export function isSameFile(path: string, other: string): boolean {
  const file = identifyFile(path)
  return file !== undefined && file === identifyFile(other)
}
