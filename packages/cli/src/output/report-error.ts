import { exitStatus, findServiceStatus, type ExitStatus } from '../exit-status.ts'
import { CliError, DecodeError, type PackLocation } from '../cli-error.ts'
import { escapeControls, styleNote, writeJson, writeNote } from './terminal.ts'

/** An error as it is shown, with its place as far as there is one. */
export interface Problem extends Partial<PackLocation> {
  readonly code: string
  readonly message: string
  readonly hint: string
}

/** Tells what went wrong, on stdout as `{"ok":false,"error":…}` under `--json` and else on stderr, and gives the status. */
export function reportError(error: unknown, asJson: boolean): ExitStatus {
  const problem = describeError(error)
  if (asJson) writeJson({ ok: false, error: problem })
  else {
    writeNote(`${styleNote('red', 'error:')} ${escapeControls(problem.message + formatLocation(problem))}`)
    writeNote(`${styleNote('dim', 'hint:')} ${escapeControls(problem.hint)}`)
  }
  if (problem.code === 'internal' && process.env['PACK_DEBUG'] && error instanceof Error) {
    writeNote(error.stack ?? '')
  }
  if (error instanceof CliError) return error.status
  return hasCode(error) ? (findServiceStatus(error.code) ?? exitStatus.findings) : exitStatus.internal
}

/** Gives code, message, hint and place of any thrown value; one without a code and a hint is `internal`. */
export function describeError(error: unknown): Problem {
  if (hasCode(error)) {
    const place =
      error instanceof DecodeError
        ? error.location
        : error instanceof CliError && error.file !== undefined && { file: error.file }
    return { code: error.code, message: error.message, hint: error.hint, ...place }
  }
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: 'internal',
    message: `unexpected failure: ${message}`,
    hint: 'this is a fault of pack itself; run again with PACK_DEBUG=1 and report what it prints',
  }
}

/** Code and place of an error inside a pack; nothing of another. */
function formatLocation({ code, part, offset, line, column, entry }: Problem): string {
  if (part === undefined) return ''
  const places = [
    ...(line === undefined ? [] : [`line ${line}, column ${column}`]),
    ...(entry === undefined ? [] : [`entry ${entry}`]),
    ...(offset === undefined ? [] : [`offset ${offset}`]),
  ]
  return ` (${code}: ${[part, ...places].join(', ')})`
}

/** Errors of the codec and of this program say what they are; nothing else does. */
function hasCode(error: unknown): error is Error & { code: string; hint: string } {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    'hint' in error &&
    typeof error.hint === 'string'
  )
}
