import { InvalidArgumentError, Option, type Command } from 'commander'
import { foldDiagnostics, type Diagnostic, type Severity } from './diagnostic.ts'
import { formatGithub, formatJunit, formatSarif } from './format-messages.ts'
import { escapeControls, styleNote, writeCommand, writeNote, writeResult, type Style } from './terminal.ts'

export interface DiagnosticOptions {
  readonly quiet?: boolean
  /** Print every message instead of the first ones of each rule. */
  readonly verbose?: boolean
  /** Warnings above this number fail the command. */
  readonly maxWarnings?: number
  /** @default 'text' */
  readonly format?: 'text' | 'github' | 'sarif' | 'junit'
}

export interface DiagnosticCounts {
  readonly errors: number
  readonly warnings: number
  /** More warnings than `--max-warnings` allows: the command exits with 1. */
  readonly isOverLimit: boolean
}

/** Declares `--quiet`, `--verbose`, `--max-warnings` and `--format`. */
export function addDiagnosticOptions(command: Command): Command {
  return command
    .addOption(new Option('-q, --quiet', 'print errors only').conflicts('verbose'))
    .option('--verbose', 'print every message; without it, repeated ones are counted')
    .option('--max-warnings <count>', 'exit with 1 if there are more warnings', parseLimit)
    .addOption(
      new Option('--format <name>', 'form of messages').choices(['text', 'github', 'sarif', 'junit']),
    )
}

function parseLimit(text: string): number {
  if (!/^(?:0|[1-9]\d{0,8})$/.test(text)) throw new InvalidArgumentError('Give a whole number from 0.')
  return Number(text)
}

/**
 * Tells whether the messages are one document on stdout, so that a command prints nothing else
 * there.
 */
export function isDocumentFormat({ format }: DiagnosticOptions): boolean {
  return format === 'sarif' || format === 'junit'
}

/** Counts messages as {@link reportDiagnostics} does, without printing them. */
export function countDiagnostics(
  diagnostics: readonly Diagnostic[],
  { maxWarnings }: DiagnosticOptions,
): DiagnosticCounts {
  const counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 }
  for (const { severity } of diagnostics) counts[severity]++
  const { error: errors, warning: warnings } = counts
  return { errors, warnings, isOverLimit: maxWarnings !== undefined && warnings > maxWarnings }
}

/**
 * Prints messages to stderr (`sarif` and `junit`: one document to stdout), with their number at the
 * end, and counts them.
 */
export function reportDiagnostics(
  diagnostics: readonly Diagnostic[],
  options: DiagnosticOptions,
): DiagnosticCounts {
  const counts = countDiagnostics(diagnostics, options)
  const { errors, warnings, isOverLimit } = counts
  const visible = options.quiet ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics
  writeMessages(visible, options)
  if (errors + warnings > 0) {
    const total = [formatNumber(errors, 'error'), formatNumber(warnings, 'warning')].filter(Boolean)
    if (!options.quiet || errors > 0) writeNote(total.join(', '))
  }
  if (isOverLimit) {
    writeNote(
      styleNote('red', `${formatNumber(warnings, 'warning')}, but --max-warnings ${options.maxWarnings}`),
    )
  }
  return counts
}

function writeMessages(diagnostics: readonly Diagnostic[], options: DiagnosticOptions): void {
  const { format = 'text', verbose } = options
  if (format === 'sarif') writeResult(formatSarif(diagnostics))
  else if (format === 'junit') writeResult(formatJunit(diagnostics))
  else if (format === 'github') for (const line of formatGithub(diagnostics, verbose)) writeCommand(line)
  else writeText(diagnostics, options)
}

function formatNumber(count: number, noun: string): string {
  return count === 0 ? '' : count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}

const STYLES: Record<Severity, Style> = { error: 'red', warning: 'yellow', info: 'cyan' }

/**
 * Writes each message as `file:line:column severity message rule`, with a hint on the next line
 * unless it was shown before.
 */
function writeText(diagnostics: readonly Diagnostic[], { verbose }: DiagnosticOptions): void {
  const { shown, summaries } = foldDiagnostics(diagnostics, verbose)
  const hints = new Set<string>()
  for (const { file, line, column, severity, message, rule, hint } of shown) {
    const location = line === null ? file : `${file}:${line}:${column ?? 1}`
    const prefix = location === '' ? '' : `${escapeControls(location)} `
    writeNote(`${prefix}${formatMessage(severity, message, rule)}`)
    if (hint === null || hints.has(hint)) continue
    hints.add(hint)
    writeNote(`  ${styleNote('dim', 'hint:')} ${escapeControls(hint)}`)
  }
  for (const { severity, rule, text } of summaries) writeNote(formatMessage(severity, text, rule))
  if (summaries.length > 0) writeNote(styleNote('dim', '--verbose lists all messages'))
}

function formatMessage(severity: Severity, message: string, rule: string): string {
  return `${styleNote(STYLES[severity], severity)} ${escapeControls(message)} ${styleNote('dim', rule)}`
}
