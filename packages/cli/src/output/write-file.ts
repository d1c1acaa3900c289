import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
  mkdirSync,
  fstatSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CliError } from '../cli-error.ts'

/**
 * Writes a file under a temporary name beside it and renames it, so that nobody ever sees a part of it.
 *
 * A file that already holds these bytes is not touched. Devices and pipes are written to directly. Everything happens in
 * one synchronous step, which no signal handler can interrupt.
 *
 * @throws CliError `output_failed`
 */
export function writeAtomic(path: string, data: Uint8Array): 'written' | 'unchanged' {
  try {
    const existing = statSync(path, { throwIfNoEntry: false })
    if (existing && !existing.isFile() && !existing.isDirectory()) {
      writeFileSync(path, data)
      return 'written'
    }
    if (existing?.isFile() && existing.size === data.length && readFileSync(path).equals(data))
      return 'unchanged'
    replaceFile(existing ? realpathSync(path) : path, data, existing)
    return 'written'
  } catch (error) {
    throw outputError(path, error as NodeJS.ErrnoException)
  }
}

function replaceFile(path: string, data: Uint8Array, existing: Stats | undefined): void {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)
  try {
    const file = openSync(temporary, 'wx', existing ? existing.mode & 0o777 : 0o666)
    try {
      writeFileSync(file, data)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

const REASONS: ReadonlyMap<string, readonly [problem: string, hint: string]> = new Map([
  ['ENOENT', ['its folder does not exist', 'create the folder first']],
  ['ENOTDIR', ['a part of its path is not a folder', 'name another file']],
  ['EEXIST', ['a file is in its way', 'name another place']],
  ['EISDIR', ['it is a folder', 'name a file in it']],
  ['EACCES', ['permission denied', 'name a place you may write to']],
  ['EPERM', ['permission denied', 'name a place you may write to']],
  ['EROFS', ['the file system is read-only', 'name a place you may write to']],
  ['ENOSPC', ['no space left on the device', 'free some space']],
  ['ENAMETOOLONG', ['its name is too long', 'give a shorter name or slug']],
])

/** Makes a {@link CliError} `output_failed` of a file system error. */
export function outputError(path: string, error: NodeJS.ErrnoException): CliError {
  const [problem, hint] = REASONS.get(error.code ?? '') ?? [error.message, 'name another place']
  return new CliError('output_failed', `cannot write ${path}: ${problem}`, hint, { file: path, cause: error })
}

/**
 * Makes a folder and those above it that are missing, one by one: asked for all at once, Node never returns where a file
 * system refuses new folders as not found, as `/proc` does.
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error
    makeFolder(dirname(folder))
    mkdirSync(folder)
  }
}

/** Refuses an output that is a source. @throws CliError `file_exists` */
export type OverwriteGuard = (output: string, shown: string) => void

/** Creates a guard that keeps a build from writing over its own sources, by whatever name or link. */
export function createOverwriteGuard(sources: readonly { readonly path: string }[]): OverwriteGuard {
  let known: ReadonlySet<string | undefined> | undefined
  return (output, shown) => {
    const file = identifyFile(output)
    if (file === undefined) return
    known ??= new Set(sources.map(({ path }) => identifyFile(path)))
    if (!known.has(file)) return
    throw new CliError(
      'file_exists',
      `${shown} is a source of this build`,
      'name another place to write to',
      {
        file: shown,
      },
    )
  }
}

/**
 * Gives what tells a file from every other, whatever its name and by whatever link, or undefined where there is no file.
 *
 * @param path `-` for stdin
 */
export function identifyFile(path: string): string | undefined {
  try {
    const stats = path === '-' ? fstatSync(0, { bigint: true }) : statSync(path, { bigint: true })
    return stats.isFile() ? `${stats.dev}:${stats.ino}` : undefined
  } catch {
    // What cannot be looked at is told of when it is read or written.
    return undefined
  }
}

/** Tells whether two paths lead to one file. */
export function isSameFile(path: string, other: string): boolean {
  const file = identifyFile(path)
  return file !== undefined && file === identifyFile(other)
}
