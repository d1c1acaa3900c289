import type { SourceResult } from '@packs/codec/source'

/** Severity of a diagnostic. A source with an error is not built. */
export type Severity = 'error' | 'warning' | 'info'

/** A message about a file. Lines and columns count from 1. */
export interface Diagnostic {
  /** Name of the file; empty for a message about the whole run. */
  readonly file: string
  readonly line: number | null
  readonly column: number | null
  readonly severity: Severity
  /** Code of the rule or error, as `docs/errors.md` lists it. */
  readonly rule: string
  readonly message: string
  readonly hint: string | null
  /** What the message lists, such as the keys of `passed-through`. */
  readonly names?: readonly string[]
}

type ParserMessage = SourceResult['messages'][number]
type SourceMessage = Pick<ParserMessage, 'reason'> &
  Partial<Pick<ParserMessage, 'line' | 'column' | 'fatal' | 'ruleId' | 'note' | 'names'>>

/** Converts a vfile message: `fatal` true is an error, false a warning, unset an info. */
export function toDiagnostic(message: SourceMessage, file: string): Diagnostic {
  return {
    file,
    line: message.line ?? null,
    column: message.column ?? null,
    severity: message.fatal ? 'error' : message.fatal === false ? 'warning' : 'info',
    rule: message.ruleId ?? 'source',
    message: message.reason,
    hint: message.note ?? null,
    ...(message.names && { names: message.names }),
  }
}

/** Returns a diagnostic of severity `error` without line and column. */
export function errorDiagnostic(file: string, rule: string, message: string, hint: string): Diagnostic {
  return { file, line: null, column: null, severity: 'error', rule, message, hint }
}
