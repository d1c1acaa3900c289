import type { Diagnostic } from './diagnostic.ts'

/**
 * Formats messages as JUnit XML: a suite for each file with messages, and a failed test for each error. Warnings and infos are the
 * output of the suite.
 */
export function formatJunit(diagnostics: readonly Diagnostic[]): string {
  const suites = [...Map.groupBy(diagnostics, ({ file }) => file)]
  const failures = countErrors(diagnostics)
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

function countErrors(messages: readonly Diagnostic[]): number {
  return messages.filter(({ severity }) => severity === 'error').length
}

function formatName({ rule, line, column }: Diagnostic): string {
  return line === null ? rule : `${rule} at ${line}:${column ?? 1}`
}

function formatOther(diagnostic: Diagnostic): string {
  return `${diagnostic.severity} ${formatName(diagnostic)}: ${diagnostic.message}`
}

/** XML 1.0 has no form for most control characters and for halves of surrogate pairs, so they are replaced. */
function escapeXml(text: string): string {
  return text
    .replace(/[\0-\x08\v\f\x0E-\x1F\uFFFE\uFFFF]|\p{Cs}/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
