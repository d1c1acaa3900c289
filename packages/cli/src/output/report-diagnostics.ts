import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Diagnostic, Severity } from '@packs/files'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { compareSeverity, foldDiagnostics } from './diagnostic.ts'
import {
  escapeControls,
  formatNumber,
  isolate,
  isWorkflow,
  styleNote,
  writeCommand,
  writeNote,
  writeStyled,
  writeWrapped,
  type Style,
} from './terminal.ts'

export interface DiagnosticOptions {
  readonly quiet?: boolean
  readonly verbose?: boolean
  /** Warnings above this number fail the command. */
  readonly maxWarnings?: number
}

export function addDiagnosticOptions(command: Command): Command {
  return command
    .addOption(new Option('-q, --quiet', 'print errors only').conflicts('verbose'))
    .option('--verbose', 'print every message; without it, those of a kind are counted')
    .option('--max-warnings <count>', 'exit with 1 if there are more warnings', parseLimit)
}

function parseLimit(text: string): number {
  if (!/^(?:0|[1-9]\d{0,8})$/.test(text)) throw new InvalidArgumentError('Give a whole number from 0.')
  return Number(text)
}

/** Tells whether there are more warnings than `--max-warnings` allows: the command exits with 1. */
export function isOverLimit(
  diagnostics: readonly Diagnostic[],
  { maxWarnings = Infinity }: DiagnosticOptions,
): boolean {
  return count(diagnostics, 'warning') > maxWarnings
}

function count(diagnostics: readonly Diagnostic[], severity: Severity): number {
  return diagnostics.filter((diagnostic) => diagnostic.severity === severity).length
}

/** Prints messages to stderr, with their number. In GitHub Actions they annotate files. */
export function reportDiagnostics(diagnostics: readonly Diagnostic[], options: DiagnosticOptions): void {
  const [errors, warnings] = [count(diagnostics, 'error'), count(diagnostics, 'warning')]
  const visible = options.quiet ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics
  if (isWorkflow()) for (const line of formatGithub(visible, options.verbose)) writeCommand(line)
  else writeText(visible, options)
  if (errors + warnings > 0) {
    const counts = { error: errors, warning: warnings }
    const total = Object.entries(counts).flatMap(([noun, one]) => (one > 0 ? formatNumber(one, noun) : []))
    const { isFolded } = foldDiagnostics(visible, options.verbose)
    if (!options.quiet || errors > 0) writeNote(total.join(', ') + (isFolded ? '; --verbose lists all' : ''))
  }
  const over = `${formatNumber(warnings, 'warning')}, but --max-warnings ${options.maxWarnings}`
  if (isOverLimit(diagnostics, options)) writeNote(styleNote('red', over))
}

const STYLES: Record<Severity, Style> = { error: 'red', warning: 'yellow', info: 'cyan' }

/** Writes `file:line:column severity message rule`, and below it a hint that is new. */
function writeText(diagnostics: readonly Diagnostic[], { verbose }: DiagnosticOptions): void {
  const { shown, summaries, leftOut } = foldDiagnostics(diagnostics, verbose)
  const hints = new Set<string>()
  if (leftOut !== '') writeWrapped(leftOut)
  for (const { file, line, column, severity, message, rule, hint } of shown) {
    const location = line === null ? file : `${file}:${line}:${column ?? 1}`
    const prefix = location === '' ? '' : `${isolate(escapeControls(location))} `
    const text = `${prefix}${styleNote(STYLES[severity], severity)} ${escapeControls(message)}`
    writeStyled(`${text} ${styleNote('dim', rule)}`)
    if (hint === null || hints.has(hint)) continue
    hints.add(hint)
    writeStyled(`  ${styleNote('dim', 'hint:')} ${escapeControls(hint)}`)
  }
  for (const text of summaries) writeWrapped(text)
}

/** GitHub shows this many errors, and as many warnings, of one step. */
const MOST = 10

/**
 * GitHub annotates files with workflow commands. Messages beyond the number that it shows, and
 * infos, are plain lines of the log.
 * @see https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export function formatGithub(diagnostics: readonly Diagnostic[], isVerbose: boolean | undefined): string[] {
  const { shown, summaries, leftOut } = foldDiagnostics(diagnostics, isVerbose)
  const counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 }
  const ordered = shown.toSorted(compareSeverity)
  return [
    ...ordered.map((diagnostic) => {
      const { severity } = diagnostic
      return severity !== 'info' && ++counts[severity] <= MOST
        ? formatAnnotation(severity, diagnostic)
        : formatLine(diagnostic)
    }),
    ...[...summaries, ...(leftOut === '' ? [] : [leftOut])].map(disarm),
  ]
}

function formatAnnotation(command: string, { file, line, column, rule, message, hint }: Diagnostic): string {
  const path = findRepositoryPath(file)
  const properties = [
    ...(path === undefined ? [] : [`file=${escapeProperty(path)}`]),
    ...(path === undefined || line === null ? [] : [`line=${line}`, `col=${column ?? 1}`]),
    `title=${escapeProperty(rule)}`,
  ]
  return `::${command} ${properties.join(',')}::${escapeData(hint === null ? message : `${message}\nhint: ${hint}`)}`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

function formatLine({ file, line, column, severity, message, rule }: Diagnostic): string {
  const location = [file, ...(line === null ? [] : [line, column ?? 1])].join(':')
  return disarm([severity, ...(location === '' ? [] : [location]), message, rule].join(' '))
}

/** A line begins with its severity, but `##[command]` counts anywhere in a line. */
function disarm(line: string): string {
  return escapeControls(line).replaceAll('##[', '## [')
}

/** CI services expect paths below `GITHUB_WORKSPACE`, with `/`. Stdin has none. */
function findRepositoryPath(file: string): string | undefined {
  if (file === '' || file === '<stdin>') return undefined
  const path = resolve(file)
  const short = relative(process.env['GITHUB_WORKSPACE'] || process.cwd(), path)
  const isOutside = short.startsWith('..') || isAbsolute(short)
  return (isOutside ? path : short).split(sep).join('/')
}
