import type { Diagnostic, Severity } from './diagnostic.ts'
import { foldDiagnostics } from './fold-diagnostics.ts'
import { findRepositoryPath } from './repository-path.ts'
import { escapeControls } from './terminal.ts'

/** GitHub shows this many errors, and as many warnings, of one step. */
const MOST = 10

/**
 * Formats messages as workflow commands of GitHub Actions, which annotate the files of a pull request. Further messages than
 * GitHub shows, and infos, are plain lines of the log.
 *
 * @see https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export function formatGithub(diagnostics: readonly Diagnostic[], isVerbose: boolean | undefined): string[] {
  const { shown, summaries } = foldDiagnostics(diagnostics, isVerbose)
  const counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 }
  const ordered = [...shown].toSorted((a, b) => ORDER[a.severity] - ORDER[b.severity])
  return [
    ...ordered.map((diagnostic) => {
      const { severity } = diagnostic
      return severity !== 'info' && ++counts[severity] <= MOST
        ? formatAnnotation(severity, diagnostic)
        : formatLine(diagnostic)
    }),
    ...summaries.map(({ severity, text, rule }) => disarm(`${severity} ${text} ${rule}`)),
  ]
}

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 }

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

/** A line begins with its severity, so it cannot be a command; the older form `##[command]` counts anywhere in a line. */
function disarm(line: string): string {
  return escapeControls(line).replaceAll('##[', '## [')
}
