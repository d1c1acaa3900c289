import type { Diagnostic, Severity } from './diagnostic.ts'
import { findRepositoryUri } from './repository-path.ts'

const LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' }

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
          level: LEVELS[diagnostic.severity],
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
