import type { Diagnostic } from '../output/diagnostic.ts'
import { formatCount, formatWithHeading, styleResult } from '../output/terminal.ts'
import type { Location } from './document/lint-document.ts'
import type { LintResult, RatedFinding } from './lint-sources.ts'
import type { Rule } from './rule.ts'

/** Places that a message names besides the first one. */
const SHOWN_PLACES = 3

/** Returns the messages of a run; with `isVerbose`, each names every position that is kept. */
export function toDiagnostics({ findings, errors }: LintResult, isVerbose: boolean): Diagnostic[] {
  return [...errors, ...findings.map((finding) => describeFinding(finding, isVerbose))]
}

function describeFinding(finding: RatedFinding, isVerbose: boolean): Diagnostic {
  const { rule, severity, message, hint, places } = finding
  const { file, line, column } = places[0]!
  return { file, line, column, severity, rule, message: message + listOthers(finding, isVerbose), hint }
}

function listOthers({ places, placeCount }: RatedFinding, isVerbose: boolean): string {
  const [first, ...others] = places
  const shown = isVerbose ? others : others.slice(0, SHOWN_PLACES)
  if (shown.length === 0) return ''
  const rest = placeCount - 1 - shown.length
  const names = shown.map((place) => formatLocation(place, first!.file))
  return `; also at ${names.join(', ')}${rest === 0 ? '' : ` and ${formatCount(rest)} more`}`
}

function formatLocation({ file, line, column }: Location, current: string): string {
  return file === current ? `${line}:${column}` : `${file}:${line}:${column}`
}

export function describeLint({ sources, findings, errors }: LintResult, isOk: boolean): unknown {
  return {
    ok: isOk,
    sources,
    findings: findings.map(({ rule, severity, message, hint, places, placeCount, saves }) => ({
      ...places[0],
      severity,
      rule,
      message,
      hint,
      tokens_saved: saves ?? null,
      places,
      place_count: placeCount,
    })),
    messages: errors,
  }
}

/** Formats the number of findings and the tokens of each rule, in the order of the rules. */
export function formatSummary({ sources, findings }: LintResult, rules: readonly Rule[]): string[] {
  const checked = sources === 1 ? '1 source' : `${formatCount(sources)} sources`
  if (findings.length === 0) return [`nothing found in ${checked}`]
  const rows = rules.flatMap(({ name }) => {
    const found = findings.filter(({ rule }) => rule === name)
    if (found.length === 0) return []
    const saves = found.reduce((sum, finding) => sum + (finding.saves ?? 0), 0)
    return [[name, formatCount(found.length), saves === 0 ? '' : formatCount(saves)]]
  })
  return formatWithHeading([`rule (${checked})`, '>findings', '>tokens'], rows)
}

export function formatRules(rules: readonly Rule[]): string[] {
  const rows = rules.map(({ name, severity, summary }) => [name, severity, summary])
  return formatWithHeading(['rule', 'severity', 'reports'], rows)
}

export function explainRule({ name, severity, summary, reason, bad, good }: Rule): string[] {
  return [
    `${styleResult('bold', name)} (${severity}): ${summary}`,
    reason,
    '',
    'Instead of',
    ...indent(bad),
    '',
    'write',
    ...indent(good),
    '',
    `Switch it off with --off ${name}, or forever with { "lint": { "rules": { "${name}": "off" } } } in packs.config.json.`,
  ]
}

function indent(text: string): string[] {
  return text.split('\n').map((line) => (line === '' ? '' : `    ${line}`))
}

/** Returns a rule as `--rules --json` and `--explain --json` print it. */
export function describeRule({ name, severity, summary, reason, bad, good }: Rule): unknown {
  return { rule: name, severity, reports: summary, reason, bad, good }
}
