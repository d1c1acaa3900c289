import type { SourceMessage } from '@packs/publisher'
import { escapeControls, styleNote, writeNote, type Style } from './terminal.ts'

/** How bad a diagnostic is; an error keeps its source from being built. */
export type Severity = 'error' | 'warning' | 'info'

/** One thing to say about a file. Lines and columns count from 1. */
export interface Diagnostic {
  readonly file: string
  readonly line: number | null
  readonly column: number | null
  readonly severity: Severity
  /** Code of the rule or error, as `docs/errors.md` lists it. */
  readonly rule: string
  readonly message: string
  readonly hint: string | null
}

/** Makes a diagnostic of a vfile message: fatal is an error, not fatal a warning, unset an info. */
export function toDiagnostic(message: SourceMessage, file: string): Diagnostic {
  return {
    file,
    line: message.line ?? null,
    column: message.column ?? null,
    severity: message.fatal ? 'error' : message.fatal === false ? 'warning' : 'info',
    rule: message.ruleId ?? 'source',
    message: message.reason,
    hint: message.note ?? null,
  }
}

/** Makes an error of severity `error` without a place in the file. */
export function errorDiagnostic(file: string, rule: string, message: string, hint: string): Diagnostic {
  return { file, line: null, column: null, severity: 'error', rule, message, hint }
}

/** Writes diagnostics to stderr, one `file:line:column severity message rule` a line, each hint below its line. */
export function writeDiagnostics(diagnostics: readonly Diagnostic[]): void {
  for (const diagnostic of diagnostics) writeNote(formatDiagnostic(diagnostic))
}

const STYLES: Record<Severity, Style> = { error: 'red', warning: 'yellow', info: 'cyan' }

function formatDiagnostic({ file, line, column, severity, message, rule, hint }: Diagnostic): string {
  const place = escapeControls(line === null ? file : `${file}:${line}:${column ?? 1}`)
  const reason = escapeControls(message)
  const text = `${place} ${styleNote(STYLES[severity], severity)} ${reason} ${styleNote('dim', rule)}`
  return hint === null ? text : `${text}\n  ${styleNote('dim', 'hint:')} ${escapeControls(hint)}`
}
