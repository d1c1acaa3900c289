import { isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compareSeverity, foldDiagnostics, type Diagnostic, type Severity } from './diagnostic.ts'
import { escapeControls } from './terminal.ts'

/** GitHub shows this many errors, and as many warnings, of one step. */
const MOST = 10

/**
 * Formats messages as workflow commands of GitHub Actions, which annotate the files of a pull
 * request. Messages beyond the number that GitHub shows, and infos, are plain lines of the log.
 *
 * @see https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export function formatGithub(diagnostics: readonly Diagnostic[], isVerbose: boolean | undefined): string[] {
  const { shown, summaries } = foldDiagnostics(diagnostics, isVerbose)
  const counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 }
  const ordered = shown.toSorted(compareSeverity)
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

/**
 * A line begins with its severity, so it cannot be a command; the older form `##[command]` counts
 * anywhere in a line.
 */
function disarm(line: string): string {
  return escapeControls(line).replaceAll('##[', '## [')
}

/**
 * Formats messages as a SARIF 2.1.0 log, which code scanning services read.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/
 */
export function formatSarif(diagnostics: readonly Diagnostic[]): string {
  const rules = [...new Set(diagnostics.map(({ rule }) => rule))]
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'pack', rules: rules.map((id) => ({ id })) } },
        columnKind: 'utf16CodeUnits',
        results: diagnostics.map((diagnostic) => ({
          ruleId: diagnostic.rule,
          ruleIndex: rules.indexOf(diagnostic.rule),
          level: diagnostic.severity === 'info' ? 'note' : diagnostic.severity,
          message: { text: formatText(diagnostic) },
          ...describeLocation(diagnostic),
        })),
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

function formatText({ message, hint }: Diagnostic): string {
  return hint === null ? message : `${message}\nhint: ${hint}`
}

function describeLocation({ file, line, column }: Diagnostic): object {
  const uri = findRepositoryUri(file)
  if (uri === undefined) return {}
  const region = line === null ? {} : { region: { startLine: line, startColumn: column ?? 1 } }
  return { locations: [{ physicalLocation: { artifactLocation: { uri }, ...region } }] }
}

/**
 * Returns a file's path below the root of the repository as CI services expect it, with `/`;
 * undefined for stdin and for messages about the whole run. The root is `GITHUB_WORKSPACE`, or else
 * the working folder.
 */
function findRepositoryPath(file: string): string | undefined {
  if (file === '' || file === '<stdin>') return undefined
  const path = resolve(file)
  const short = relative(process.env['GITHUB_WORKSPACE'] || process.cwd(), path)
  const isOutside = short.startsWith('..') || isAbsolute(short)
  return (isOutside ? path : short).split(sep).join('/')
}

function findRepositoryUri(file: string): string | undefined {
  const path = findRepositoryPath(file)
  if (path === undefined) return undefined
  return isAbsolute(path) ? pathToFileURL(path).href : path.split('/').map(encodeURIComponent).join('/')
}

/**
 * Formats messages as JUnit XML: a suite for each file with messages, and a failed test for each
 * error. Warnings and infos are the output of the suite.
 */
export function formatJunit(diagnostics: readonly Diagnostic[]): string {
  const suites = [...Map.groupBy(diagnostics, ({ file }) => file)]
  const failures = diagnostics.filter(({ severity }) => severity === 'error').length
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="pack" tests="${failures}" failures="${failures}">`,
    ...suites.map(([file, messages]) => formatSuite(file || 'pack', messages)),
    '</testsuites>',
    '',
  ].join('\n')
}

function formatSuite(file: string, messages: readonly Diagnostic[]): string {
  const name = escapeXml(file)
  const errors = messages.filter(({ severity }) => severity === 'error')
  const others = messages.filter(({ severity }) => severity !== 'error')
  return [
    `  <testsuite name="${name}" tests="${errors.length}" failures="${errors.length}">`,
    ...errors.map(
      (error) =>
        `    <testcase classname="${name}" name="${escapeXml(formatName(error))}"><failure type="${escapeXml(error.rule)}" message="${escapeXml(error.message)}">${escapeXml(error.hint ?? '')}</failure></testcase>`,
    ),
    ...(others.length === 0
      ? []
      : [`    <system-out>${escapeXml(others.map(formatOther).join('\n'))}</system-out>`]),
    '  </testsuite>',
  ].join('\n')
}

function formatName({ rule, line, column }: Diagnostic): string {
  return line === null ? rule : `${rule} at ${line}:${column ?? 1}`
}

function formatOther(diagnostic: Diagnostic): string {
  return `${diagnostic.severity} ${formatName(diagnostic)}: ${diagnostic.message}`
}

/**
 * XML 1.0 has no form for most control characters and for halves of surrogate pairs, so they are
 * replaced.
 */
function escapeXml(text: string): string {
  return text
    .replace(/[\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF]|\p{Cs}/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
