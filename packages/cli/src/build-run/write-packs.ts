import { join } from 'node:path'
import { CliError } from '../cli-error.ts'
import { makeFolder } from '@packs/client/files'
import type { BuildResult, WrittenResult } from '../output/build-result.ts'
import type { Diagnostic } from '../output/diagnostic.ts'
import { diagnoseError } from '../output/report-error.ts'
import { formatPath, writeResult } from '../output/terminal.ts'
import { outputError, writeGenerated, type OverwriteGuard } from '../output/write-file.ts'
import { isWritable } from './validate-results.ts'

/** Output of a build. */
export interface WriteTarget {
  /** Absolute path of the folder for the packs, or `-` for stdout. */
  readonly folder: string
  readonly cwd: string
  /** Absolute paths and patterns of the inputs. */
  readonly inputs: readonly string[]
  /** Write nothing. */
  readonly isDryRun: boolean
}

/** Writes the pack of a result without errors. A pack that cannot be written becomes an error of its result. */
export type PackWriter = (result: BuildResult) => WrittenResult

/**
 * Creates a writer of packs. Once the folder itself cannot be written to, it does not try again, and the other results get the
 * same error, whose place is the folder.
 */
export function createPackWriter(target: WriteTarget, guard: OverwriteGuard): PackWriter {
  let folderError: Diagnostic | undefined
  return (result) => {
    if (!isWritable(result)) return { ...result, file: null, status: 'failed' }
    if (folderError !== undefined) return failToWrite(result, folderError)
    try {
      return writePack(result, target, guard)
    } catch (error) {
      if (isFolderError(error)) {
        folderError = diagnoseError(outputFolderError(target, error), formatPath(target.folder, target.cwd))
        return failToWrite(result, folderError)
      }
      return failToWrite(result, diagnoseError(error, result.shown))
    }
  }
}

function failToWrite(result: BuildResult, error: Diagnostic): WrittenResult {
  return { ...result, messages: [...result.messages, error], file: null, status: 'failed' }
}

/** Errors that every other file of the folder would meet too. */
const FOLDER_ERRORS: ReadonlySet<string | undefined> = new Set(['EROFS', 'ENOSPC', 'EDQUOT'])

function isFolderError(error: unknown): error is CliError {
  if (!(error instanceof CliError) || error.code !== 'output_failed') return false
  const { code, syscall, path = '' } = error.cause as NodeJS.ErrnoException
  const cannotCreate = syscall === 'open' && path.endsWith('.tmp') && (code === 'EACCES' || code === 'EPERM')
  return cannotCreate || syscall === 'mkdir' || FOLDER_ERRORS.has(code)
}

function outputFolderError({ folder, cwd }: WriteTarget, { cause }: CliError): CliError {
  return outputError(formatPath(folder, cwd), cause as NodeJS.ErrnoException)
}

/** @throws CliError `output_failed`, `file_exists`, `linked_output` */
function writePack(result: BuildResult, target: WriteTarget, guard: OverwriteGuard): WrittenResult {
  const { folder, cwd, isDryRun } = target
  if (isDryRun) return { ...result, file: null, status: 'dry-run' }
  if (folder === '-') {
    writeResult(result.text ?? '')
    return { ...result, file: null, status: 'written' }
  }
  const path = join(folder, `${result.pack!.slug}.pack.json`)
  const file = formatPath(path, cwd)
  createFolder(folder)
  guard(path, file)
  return { ...result, file, status: writeGenerated(path, Buffer.from(result.text ?? ''), file) }
}

function createFolder(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    throw outputError(folder, error as NodeJS.ErrnoException)
  }
}
