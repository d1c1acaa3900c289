import { join } from 'node:path'
import { showPath } from '../input/show-path.ts'
import { createError } from '../output/diagnostic.ts'
import { describeError } from '../output/report-error.ts'
import { describeFailure, writeAtomic } from '../output/write-atomic.ts'
import { writeResult } from '../output/terminal.ts'
import type { BuildResult, WrittenResult } from '../output/build-result.ts'
import type { SourceGuard } from '../output/guard-sources.ts'
import { isGood } from './judge-results.ts'
import { makeFolder } from '../output/make-folder.ts'

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
  guard: SourceGuard,
): WrittenResult[] {
  return results.map((result) =>
    isGood(result) ? writePack(result, target, guard) : { ...result, file: null, status: 'failed' },
  )
}

function writePack(result: BuildResult, target: WriteTarget, guard: SourceGuard): WrittenResult {
  const { folder, isDryRun } = target
  if (isDryRun) return { ...result, file: null, status: 'dry-run' }
  if (folder === '-') {
    writeResult(result.text ?? '')
    return { ...result, file: null, status: 'written' }
  }
  try {
    return { ...result, ...writeInto(target, `${result.pack!.slug}.pack.json`, result.text ?? '', guard) }
  } catch (error) {
    const { code, message, hint } = describeError(error)
    const messages = [...result.messages, createError(result.shown, code, message, hint)]
    return { ...result, messages, file: null, status: 'failed' }
  }
}

/** Writes a text into the folder of a target, made if missing. @throws CliError `output_failed`, `file_exists` */
export function writeInto(
  { folder, cwd }: WriteTarget,
  name: string,
  text: string,
  guard: SourceGuard,
): { readonly file: string; readonly status: 'written' | 'unchanged' } {
  const path = join(folder, name)
  const file = showPath(path, cwd)
  createFolder(folder)
  guard(path, file)
  return { file, status: writeAtomic(path, Buffer.from(text)) }
}

function createFolder(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    throw describeFailure(folder, error as NodeJS.ErrnoException)
  }
}
