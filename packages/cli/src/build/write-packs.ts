import { join } from 'node:path'
import { showPath } from '../input/show-path.ts'
import { createError } from '../output/diagnostic.ts'
import { describeError } from '../output/report-error.ts'
import { describeFailure, writeAtomic } from '../output/write-atomic.ts'
import { writeResult } from '../output/terminal.ts'
import type { BuildResult } from './build-request.ts'
import { isGood } from './judge-results.ts'
import { makeFolder } from '../output/make-folder.ts'

/** A result, and what became of its file. */
export interface WrittenResult extends BuildResult {
  /** Path of the pack, relative where that is short; null for a source that failed or went to stdout. */
  readonly file: string | null
  readonly status: 'written' | 'unchanged' | 'dry-run' | 'failed'
}

/** Where packs go: a folder, stdout for `-`, or nowhere. */
export interface WriteTarget {
  readonly folder: string
  readonly cwd: string
  readonly isDryRun: boolean
}

/** Writes the packs of all good results; what cannot be written becomes an error of that result alone. */
export function writePacks(results: readonly BuildResult[], target: WriteTarget): WrittenResult[] {
  return results.map((result) =>
    isGood(result) ? writePack(result, target) : { ...result, file: null, status: 'failed' },
  )
}

function writePack(result: BuildResult, { folder, cwd, isDryRun }: WriteTarget): WrittenResult {
  if (isDryRun) return { ...result, file: null, status: 'dry-run' }
  if (folder === '-') {
    writeResult(result.text ?? '')
    return { ...result, file: null, status: 'written' }
  }
  try {
    return { ...result, ...writeInto(folder, `${result.pack!.slug}.pack.json`, result.text ?? '', cwd) }
  } catch (error) {
    const { code, message, hint } = describeError(error)
    const messages = [...result.messages, createError(result.shown, code, message, hint)]
    return { ...result, messages, file: null, status: 'failed' }
  }
}

/** Writes a text into a folder, made if missing. @throws CliError `output_failed` */
export function writeInto(
  folder: string,
  name: string,
  text: string,
  cwd: string,
): { readonly file: string; readonly status: 'written' | 'unchanged' } {
  const path = join(folder, name)
  createFolder(folder)
  const status = writeAtomic(path, Buffer.from(text))
  return { file: showPath(path, cwd), status }
}

function createFolder(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    throw describeFailure(folder, error as NodeJS.ErrnoException)
  }
}
