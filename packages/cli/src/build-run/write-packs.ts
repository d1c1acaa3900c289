import { join } from 'node:path'
import { CliError } from '../cli-error.ts'
import type { BuildResult, WrittenResult } from '../output/build-result.ts'
import { type Diagnostic, errorDiagnostic } from '../output/diagnostic.ts'
import { diagnoseError } from '../output/report-error.ts'
import { formatPath, writeResult } from '../output/terminal.ts'
import { makeOutputFolder, outputError, writeGenerated, type OverwriteGuard } from '../output/write-file.ts'

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

/**
 * Creates a function that writes the pack of an error-free result. A pack that cannot be written
 * adds an error to the result. Once the folder itself cannot be written to, it does not try again,
 * and the other results get the same error, located at the folder.
 */
export function createPackWriter(
  target: WriteTarget,
  guard: OverwriteGuard,
): (result: BuildResult) => WrittenResult {
  let folderError: Diagnostic | undefined
  return (result) => {
    if (!isWritable(result)) return { ...result, file: null, status: 'failed' }
    if (folderError !== undefined) return failToWrite(result, folderError)
    try {
      return writePack(result, target, guard)
    } catch (error) {
      if (isFolderError(error)) {
        const shown = formatPath(target.folder, target.cwd)
        folderError = diagnoseError(outputError(shown, error.cause as NodeJS.ErrnoException), shown)
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
  return cannotCreate || syscall === 'mkdir' || syscall === 'lstat' || FOLDER_ERRORS.has(code)
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
  makeOutputFolder(folder)
  guard(path, file)
  return { ...result, file, status: writeGenerated(path, Buffer.from(result.text ?? ''), file) }
}

type SlugUse = Pick<BuildResult, 'path' | 'shown' | 'slugPosition'>

/** The sources that use each slug. */
export type SlugUses = ReadonlyMap<string, readonly SlugUse[]>

/** Groups results by slug. A result that is not built yet counts too if its slug is known. */
export function groupBySlug(results: readonly BuildResult[]): SlugUses {
  const known = results.filter(({ pack, slug }) => slug !== undefined || pack !== null)
  return Map.groupBy(known, ({ pack, slug }) => slug ?? pack!.slug)
}

/**
 * Adds the errors that need all results or the options of the run: duplicate slugs and low savings.
 */
export function validateResults(
  results: readonly BuildResult[],
  minSavings: number | undefined,
): BuildResult[] {
  const uses = groupBySlug(results)
  return results.map((result) => validateResult(result, uses, minSavings))
}

/** Adds the errors of one result that need the slugs of all sources or the options of the run. */
export function validateResult(
  result: BuildResult,
  uses: SlugUses,
  minSavings: number | undefined,
): BuildResult {
  if (!result.pack) return result
  const messages = [...result.messages]
  const others = (uses.get(result.pack.slug) ?? []).filter(({ path }) => path !== result.path)
  if (others.length > 0) messages.push(duplicateSlugError(result, others))
  if (minSavings !== undefined && result.pack.net_savings_pct < minSavings) {
    messages.push(lowSavingsError(result.shown, result.pack.net_savings_pct, minSavings))
  }
  return { ...result, messages }
}

/** Tells whether a result may be written: it has a pack and no errors. */
export function isWritable({ pack, messages }: BuildResult): boolean {
  return pack !== null && messages.every(({ severity }) => severity !== 'error')
}

function duplicateSlugError(
  { shown, pack, slugPosition }: BuildResult,
  others: readonly SlugUse[],
): Diagnostic {
  const positions = others.map((other) => formatSlugPosition(other)).join(', ')
  const error = errorDiagnostic(
    shown,
    'duplicate_slug',
    `slug "${pack!.slug}" is also used by ${positions}`,
    'set another slug in the front matter of one of them, or name one in "ignore" of the configuration',
  )
  return { ...error, line: slugPosition?.line ?? null, column: slugPosition?.column ?? null }
}

function formatSlugPosition({ shown, slugPosition }: SlugUse): string {
  return slugPosition ? `${shown}:${slugPosition.line}:${slugPosition.column}` : shown
}

function lowSavingsError(shown: string, savings: number, minimum: number): Diagnostic {
  return errorDiagnostic(
    shown,
    'low_savings',
    `net savings of ${savings.toFixed(2)} % are below --min-savings ${minimum} %`,
    'use a denser scheme, join small documents, or lower --min-savings',
  )
}
