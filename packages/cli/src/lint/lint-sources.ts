import { parseSource, type Source } from '@packs/codec/source'
import { loadTokenizer } from '@packs/codec/tokens'
import type { FoundFile, FoundFiles } from '../input/find-files.ts'
import { MAX_SOURCE_BYTES, readBounded } from '../input/read-bounded.ts'
import { type Diagnostic, errorDiagnostic, type Severity, toDiagnostic } from '../output/diagnostic.ts'
import { describeError } from '../output/report-error.ts'
import { createLintDocument } from './document/lint-document.ts'
import type { Check, Finding, LintSettings, Rule } from './rule.ts'

/** A finding with its rule and the severity that the settings give it. */
export interface RatedFinding extends Finding {
  readonly rule: string
  readonly severity: Severity
}

/** The result of a run. */
export interface LintResult {
  /** Number of sources that were checked. */
  readonly sources: number
  readonly findings: readonly RatedFinding[]
  /** Errors of sources that could not be read or parsed. */
  readonly errors: readonly Diagnostic[]
}

/** A rule that is on, and its severity. */
export interface ActiveRule {
  readonly rule: Rule
  readonly severity: Severity
}

/** Checks the sources one after the other with every active rule. Findings come in the order of files and places. */
export async function lintSources(
  found: FoundFiles,
  rules: readonly ActiveRule[],
  settings: LintSettings,
): Promise<LintResult> {
  const checks = rules.map(({ rule, severity }) => ({
    rule: rule.name,
    severity,
    check: rule.createCheck(settings),
  }))
  const findings: RatedFinding[] = []
  const errors: Diagnostic[] = found.failures.map((failure) => toError(failure, failure.file ?? '<stdin>'))
  const order = new Map<string, number>()
  let sources = 0
  const add = ({ rule, severity }: { rule: string; severity: Severity }, list: readonly Finding[]): void => {
    for (const finding of list) findings.push({ ...finding, rule, severity })
  }
  for (const file of found.files) {
    order.set(file.shown, order.size)
    const source = await readSource(file, errors)
    if (source === undefined) continue
    sources++
    await loadTokenizer(source.tokenizer)
    const document = createLintDocument(source, file.shown)
    for (const check of checks) add(check, check.check.visit(document))
  }
  for (const check of checks) add(check, finish(check.check))
  return { sources, findings: sortFindings(findings, order), errors }
}

async function readSource(file: FoundFile, errors: Diagnostic[]): Promise<Source | undefined> {
  try {
    const bytes = await readBounded(file.path, MAX_SOURCE_BYTES, file.shown)
    const { source, messages } = parseSource(bytes, { path: file.shown })
    for (const message of messages) if (message.fatal === true) errors.push(toDiagnostic(message, file.shown))
    return source
  } catch (error) {
    errors.push(toError(error, file.shown))
    return undefined
  }
}

function toError(error: unknown, file: string): Diagnostic {
  const { code, message, hint } = describeError(error)
  if (code === 'internal') throw error
  return errorDiagnostic(file, code, message, hint)
}

function finish(check: Check): readonly Finding[] {
  return check.finish?.() ?? []
}

function sortFindings(findings: RatedFinding[], order: ReadonlyMap<string, number>): RatedFinding[] {
  return findings.toSorted((a, b) => {
    const [one] = a.places
    const [other] = b.places
    return order.get(one.file)! - order.get(other.file)! || one.line - other.line || one.column - other.column
  })
}
