import { join } from 'node:path'
import type { BuildResult, WrittenResult } from '../output/build-result.ts'
import { errorDiagnostic } from '../output/diagnostic.ts'
import { describeError } from '../output/report-error.ts'
import { formatPath, writeResult } from '../output/terminal.ts'
import { makeFolder, outputError, writeGenerated, type OverwriteGuard } from '../output/write-file.ts'
import type { SharedRosetta } from './share-rosetta.ts'
import { isWritable } from './validate-results.ts'

/** Output of a build. */
export interface WriteTarget {
  /** Absolute path of the folder for the packs, or `-` for stdout. */
  readonly folder: string
  readonly cwd: string
  /** Write nothing. */
  readonly isDryRun: boolean
}

/** Writes the packs of all results without errors. A pack that cannot be written becomes an error of its result. */
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

/** A shared header and its file. */
export interface WrittenRosetta extends SharedRosetta {
  /** Path of the file, relative if that is shorter; null in a dry run. */
  readonly file: string | null
  readonly status: 'written' | 'unchanged' | 'dry-run'
}

/**
 * Writes a shared header as `<domain>.rosetta` beside the packs, in the form that `parseRosetta` reads.
 *
 * @throws CliError `output_failed`, `file_exists`, `linked_output`
 */
export function writeSharedRosetta(
  shared: SharedRosetta,
  target: WriteTarget,
  guard: OverwriteGuard,
): WrittenRosetta {
  if (target.isDryRun) return { ...shared, file: null, status: 'dry-run' }
  return { ...shared, ...writeToFolder(target, `${shared.domain}.rosetta`, shared.rosetta, guard) }
}

/**
 * Writes a file into the target folder, which is created if missing.
 *
 * @throws CliError `output_failed`, `file_exists`, `linked_output`
 */
function writeToFolder(
  { folder, cwd }: WriteTarget,
  name: string,
  text: string,
  guard: OverwriteGuard,
): { readonly file: string; readonly status: 'written' | 'unchanged' } {
  const path = join(folder, name)
  const file = formatPath(path, cwd)
  createFolder(folder)
  guard(path, file)
  return { file, status: writeGenerated(path, Buffer.from(text), file) }
}

function createFolder(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    throw outputError(folder, error as NodeJS.ErrnoException)
  }
}
