import type { Source } from '@packs/codec/pack'
import { locateMessages, readSource } from '../build-run/read-source.ts'
import type { FoundFile, FoundFiles } from '../input/find-files.ts'
import { type Diagnostic, type Severity, toDiagnostic } from '../output/diagnostic.ts'
import { diagnoseErrors } from '../output/report-error.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'
import { createLintDocument, type Location } from './document/lint-document.ts'
import type { Finding, Rule } from './rule.ts'
import { formatCount, formatWithHeading } from '../output/terminal.ts'

/**
 * A finding with its rule and the severity that the settings give it. It has at most
 * {@link MOST_PLACES} positions.
 */
export interface RatedFinding extends Finding {
  readonly rule: string
  readonly severity: Severity
  /** Number of positions before the others were skipped. */
  readonly placeCount: number
}

const MOST_PLACES = 100
/**
 * Maximum findings of a rule per document, or in total for a rule that compares documents.
 */
const MOST_FINDINGS = 500

export interface LintResult {
  readonly sources: number
  readonly findings: readonly RatedFinding[]
  /** Errors of sources that could not be read or parsed. */
  readonly errors: readonly Diagnostic[]
}

export interface ActiveRule {
  readonly rule: Rule
  readonly severity: Severity
}

/**
 * Checks the sources one after the other with every active rule. Findings come in the order of
 * files and positions.
 */
export async function lintSources(found: FoundFiles, rules: readonly ActiveRule[]): Promise<LintResult> {
  const checks = rules.map(({ rule, severity }) => ({ rule, severity, check: rule.createCheck() }))
  const findings: RatedFinding[] = []
  const leftOut = (found.messages ?? []).filter(({ rule }) => rule === 'linked_input')
  const failed = found.failures.flatMap((failure) => toErrors(failure, failure.file ?? '<stdin>'))
  const errors: Diagnostic[] = [...leftOut, ...failed]
  const lines = new Map<string, (line: number) => number>()
  const order = new Map<string, number>()
  let sources = 0
  for (const file of found.files) {
    order.set(file.shown, order.size)
    const { source, findLine } = await parseFile(file, errors)
    if (source === undefined || findLine === undefined) continue
    lines.set(file.shown, findLine)
    sources++
    await loadTokenizer(source.tokenizer)
    const document = createLintDocument(source, file.shown)
    const off = readSwitches(source)
    for (const { rule, severity, check } of checks)
      if (!off.has(rule.name)) findings.push(...rate(rule, severity, check.visit(document)))
  }
  for (const { rule, severity, check } of checks)
    findings.push(...rate(rule, severity, check.finish?.() ?? []))
  const placed = findings.map((finding) => ({
    ...finding,
    places: finding.places.map((place) => ({
      ...place,
      line: lines.get(place.file)?.(place.line) ?? place.line,
    })),
  }))
  return { sources, findings: sortFindings(placed, order), errors }
}

function rate(rule: Rule, severity: Severity, found: readonly Finding[]): RatedFinding[] {
  return capFindings(found).map((finding) => {
    const places = finding.places.slice(0, MOST_PLACES)
    return { ...finding, rule: rule.name, severity, places, placeCount: finding.places.length }
  })
}

/** Keeps the first findings, and one instead of the others. */
function capFindings(found: readonly Finding[]): readonly Finding[] {
  if (found.length <= MOST_FINDINGS) return found
  const { places } = found[MOST_FINDINGS]!
  const rest = found.length - MOST_FINDINGS
  const message = `${rest} more findings of this rule, the first of them here`
  return [...found.slice(0, MOST_FINDINGS), { message, hint: 'Correct those above to see them.', places }]
}

/**
 * Names of the rules that the front matter turns off: `lint: { rules: { long-section: off } }`.
 */
function readSwitches({ metadata }: Source): ReadonlySet<string> {
  const rules = readMap(readMap(metadata)?.['lint'])?.['rules']
  const entries = Object.entries(readMap(rules) ?? {})
  return new Set(entries.filter(([, level]) => level === 'off' || level === false).map(([name]) => name))
}

function readMap(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined
}

async function parseFile(
  file: FoundFile,
  errors: Diagnostic[],
): Promise<{ readonly source?: Source | undefined; readonly findLine?: (line: number) => number }> {
  try {
    const read = await readSource(file)
    const { source, messages } = await read.parse()
    const fatal = messages.filter((message) => message.fatal === true)
    errors.push(
      ...locateMessages(
        fatal.map((message) => toDiagnostic(message, file.shown)),
        read,
      ),
    )
    return { source, findLine: read.findLine }
  } catch (error) {
    errors.push(...toErrors(error, file.shown))
    return {}
  }
}

function toErrors(error: unknown, file: string): Diagnostic[] {
  const diagnostics = diagnoseErrors(error, file)
  if (diagnostics.some(({ rule }) => rule === 'internal')) throw error
  return diagnostics
}

function sortFindings(findings: RatedFinding[], order: ReadonlyMap<string, number>): RatedFinding[] {
  return findings.toSorted((a, b) => {
    const [one, other] = [a.places[0]!, b.places[0]!]
    return order.get(one.file)! - order.get(other.file)! || one.line - other.line || one.column - other.column
  })
}

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
