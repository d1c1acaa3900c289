import { join } from 'node:path'
import { formatPath, writeResult } from '../output/terminal.ts'
import { errorDiagnostic } from '../output/diagnostic.ts'
import { describeError } from '../output/report-error.ts'
import { outputError, writeAtomic, type OverwriteGuard, makeFolder } from '../output/write-file.ts'
import type { BuildResult, WrittenResult } from '../output/build-result.ts'
import { isWritable } from './validate-results.ts'
import type { SharedRosetta } from './share-rosetta.ts'

/** Where packs go: a folder, stdout for `-`, or nowhere. */
export interface WriteTarget {
  readonly folder: string
  readonly cwd: string
  readonly isDryRun: boolean
}

/** Writes the packs of all good results; what cannot be written becomes an error of that result alone. */
export function writePacks(
  results: readonly BuildResult[],
  target: WriteTarget,
  guard: OverwriteGuard,
): WrittenResult[] {
  return results.map((result) =>
    isWritable(result) ? writePack(result, target, guard) : { ...result, file: null, status: 'failed' },
  )
}

function writePack(result: BuildResult, target: WriteTarget, guard: OverwriteGuard): WrittenResult {
  const { folder, isDryRun } = target
  if (isDryRun) return { ...result, file: null, status: 'dry-run' }
  if (folder === '-') {
    writeResult(result.text ?? '')
    return { ...result, file: null, status: 'written' }
  }
  try {
    return { ...result, ...writeToFolder(target, `${result.pack!.slug}.pack.json`, result.text ?? '', guard) }
  } catch (error) {
    const { code, message, hint } = describeError(error)
    const messages = [...result.messages, errorDiagnostic(result.shown, code, message, hint)]
    return { ...result, messages, file: null, status: 'failed' }
  }
}

/** Writes a text into the folder of a target, made if missing. @throws CliError `output_failed`, `file_exists` */
export function writeToFolder(
  { folder, cwd }: WriteTarget,
  name: string,
  text: string,
  guard: OverwriteGuard,
): { readonly file: string; readonly status: 'written' | 'unchanged' } {
  const path = join(folder, name)
  const file = formatPath(path, cwd)
  createFolder(folder)
  guard(path, file)
  return { file, status: writeAtomic(path, Buffer.from(text)) }
}

function createFolder(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    throw outputError(folder, error as NodeJS.ErrnoException)
  }
}

/** A shared header, and what became of its file. */
export interface WrittenRosetta extends SharedRosetta {
  /** Path of the header, relative where that is short; null where none is to be written. */
  readonly file: string | null
  readonly status: 'written' | 'unchanged' | 'dry-run'
}

/**
 * Writes the header as `<domain>.rosetta` beside the packs, to the byte as `parseRosetta` reads it.
 *
 * @throws CliError `output_failed`, `file_exists`
 */
export function writeSharedRosetta(
  shared: SharedRosetta,
  target: WriteTarget,
  guard: OverwriteGuard,
): WrittenRosetta {
  if (target.isDryRun) return { ...shared, file: null, status: 'dry-run' }
  return { ...shared, ...writeToFolder(target, `${shared.domain}.rosetta`, shared.rosetta, guard) }
}
