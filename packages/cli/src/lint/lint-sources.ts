import type { Source } from '@packs/codec/source'
import { locateMessages, readSource } from '../build-run/read-source.ts'
import type { FoundFile, FoundFiles } from '../input/find-files.ts'
import { type Diagnostic, type Severity, toDiagnostic } from '../output/diagnostic.ts'
import { diagnoseErrors } from '../output/report-error.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'
import { createLintDocument } from './document/lint-document.ts'
import type { Finding, LintSettings, Rule } from './rule.ts'

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
export async function lintSources(
  found: FoundFiles,
  rules: readonly ActiveRule[],
  settings: LintSettings,
): Promise<LintResult> {
  const checks = rules.map(({ rule, severity }) => ({ rule, severity, check: rule.createCheck(settings) }))
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
