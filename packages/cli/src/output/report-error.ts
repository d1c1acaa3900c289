import { exitStatus, type ExitStatus } from '../exit-status.ts'
import { CliError } from '../cli-error.ts'
import { styleNote, writeJson, writeNote } from './terminal.ts'

/** An error as it is shown. */
export interface Problem {
  readonly code: string
  readonly message: string
  readonly hint: string
}

/** Tells what went wrong, on stdout as `{"ok":false,"error":…}` under `--json` and else on stderr, and gives the status. */
export function reportError(error: unknown, asJson: boolean): ExitStatus {
  const problem = describeError(error)
  if (asJson) writeJson({ ok: false, error: problem })
  else {
    writeNote(`${styleNote('red', 'error:')} ${problem.message}`)
    writeNote(`${styleNote('dim', 'hint:')} ${problem.hint}`)
  }
  if (problem.code === 'internal' && process.env['PACK_DEBUG'] && error instanceof Error) {
    writeNote(error.stack ?? '')
  }
  return error instanceof CliError ? error.status : isCoded(error) ? exitStatus.findings : exitStatus.internal
}

/** Gives code, message and hint of any thrown value; one without a code and a hint is `internal`. */
export function describeError(error: unknown): Problem {
  if (isCoded(error)) return { code: error.code, message: error.message, hint: error.hint }
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: 'internal',
    message: `unexpected failure: ${message}`,
    hint: 'this is a fault of pack itself; run again with PACK_DEBUG=1 and report what it prints',
  }
}

/** Errors of the codec and of this program say what they are; nothing else does. */
function isCoded(error: unknown): error is Error & { code: string; hint: string } {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    'hint' in error &&
    typeof error.hint === 'string'
  )
}
