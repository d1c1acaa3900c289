import { type ExitStatus, findStatus } from '../cli-error.ts'
import { type ErrorDetails, type Diagnostic, errorDiagnostic, type Fault, FilesError } from '@packs/files'
import { escapeControls, styleNote, writeJson, writeNote, writeStyled } from './terminal.ts'
import { outputError } from './write-file.ts'

export interface Problem extends ErrorDetails {
  readonly code: string
  readonly message: string
  readonly hint: string
}

/** Prints `{"ok":false,"error":…}` on stdout with `--json`, and otherwise text on stderr. */
export function reportError(error: unknown, asJson: boolean): ExitStatus {
  const problem = describeError(error)
  if (asJson) writeJson({ ok: false, error: problem })
  else {
    writeFaults(problem)
    writeStyled(`${styleNote('red', 'error:')} ${escapeControls(problem.message + formatLocation(problem))}`)
    writeStyled(`${styleNote('dim', 'hint:')} ${escapeControls(problem.hint)}`)
  }
  if (problem.code === 'internal' && process.env['PACK_DEBUG'] && error instanceof Error) {
    writeNote(error.stack ?? '')
  }
  return findStatus(problem.code)
}

/** A value without a code and a hint is `internal`. */
export function describeError(error: unknown): Problem {
  if (hasCode(error)) {
    const { code, message, hint } = error
    if (error instanceof FilesError) return { code, message, hint, ...error.details }
    return {
      code,
      message,
      hint,
      ...('file' in error && typeof error.file === 'string' && { file: error.file }),
      ...('faults' in error && { faults: error.faults as readonly Fault[] }),
    }
  }
  // If the system refuses access to a file, that is not an error of the program.
  const { code = '', path } = (error ?? {}) as Partial<NodeJS.ErrnoException>
  if (path !== undefined && /^(?:EACCES|EPERM|EROFS|ENOSPC|ENOTDIR|ENAMETOOLONG)$/.test(code))
    return describeError(outputError(path, error as NodeJS.ErrnoException, 'use'))
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: 'internal',
    message: `unexpected failure: ${message}`,
    hint: 'this is a bug in pack; run again with PACK_DEBUG=1 and report the output',
  }
}

export function diagnoseError(error: unknown, file: string): Diagnostic {
  const { code, message, hint } = describeError(error)
  return errorDiagnostic(file, code, message, hint)
}

/** Returns any thrown value as messages about a file, one for each fault. */
export function diagnoseErrors(error: unknown, file: string): Diagnostic[] {
  const faults = error instanceof FilesError ? (error.details.faults ?? []) : []
  if (faults.length === 0) return [diagnoseError(error, file)]
  const { code } = describeError(error)
  return faults.map(({ line, column, message, hint }) => ({
    ...errorDiagnostic(file, code, message, hint),
    line,
    column,
  }))
}

/** Writes each fault as `file:line:column error message`, with its hint on the next line. */
function writeFaults({ file = '', faults = [] }: Problem): void {
  for (const { line, column, message, hint } of faults) {
    const location = [file, ...(line === null ? [] : [line]), ...(column === null ? [] : [column])].join(':')
    writeStyled(`${escapeControls(location)} ${styleNote('red', 'error')} ${escapeControls(message)}`)
    writeStyled(`  ${styleNote('dim', 'hint:')} ${escapeControls(hint)}`)
  }
}

/** Returns code and location of an error inside a pack, and an empty text for other errors. */
function formatLocation({ code, part, offset, line, column, entry }: Problem): string {
  if (part === undefined) return ''
  const details = [
    ...(line === undefined ? [] : [`line ${line}, column ${column}`]),
    ...(entry === undefined ? [] : [`entry ${entry}`]),
    ...(offset === undefined ? [] : [`offset ${offset}`]),
  ]
  return ` (${code}: ${[part, ...details].join(', ')})`
}

/** Errors of the codec, the catalog, the publisher and this program have a code and a hint. */
function hasCode(error: unknown): error is Error & { code: string; hint: string } {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    'hint' in error &&
    typeof error.hint === 'string'
  )
}
