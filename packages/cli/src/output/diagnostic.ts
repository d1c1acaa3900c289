import type { SourceResult } from '@packs/codec/pack'
import { describeCount, type Diagnostic, type Severity } from '@packs/files'

type ParserMessage = SourceResult['messages'][number]
type SourceMessage = Pick<ParserMessage, 'reason'> & {
  readonly [Key in 'line' | 'column' | 'fatal' | 'ruleId' | 'note' | 'names']?: ParserMessage[Key] | undefined
}

/** Converts a message of a source: `fatal` true is an error, false a warning, unset an info. */
export function toDiagnostic(message: SourceMessage, file: string): Diagnostic {
  return {
    file,
    line: message.line ?? null,
    column: message.column ?? null,
    severity: message.fatal ? 'error' : message.fatal === false ? 'warning' : 'info',
    rule: message.ruleId ?? 'source',
    message: message.reason,
    hint: message.note ?? null,
    ...(message.names && { names: message.names }),
  }
}

interface Summary {
  readonly severity: Severity
  readonly rule: string
  readonly text: string
}

/** Messages of one rule that are printed in full. The others are counted. */
const MOST_SHOWN = { error: 10, warning: 3, info: 1 } as const

const MOST_NAMES = 12

/**
 * Keeps the first of equal messages with their number, and the first messages of each rule, grouped
 * by file; summarizes the others in a line for each rule. Some messages are only for `isVerbose`,
 * which keeps all.
 */
export function foldDiagnostics(
  given: readonly Diagnostic[],
  isVerbose: boolean | undefined,
): {
  readonly shown: readonly Diagnostic[]
  readonly summaries: readonly Summary[]
  readonly isFolded: boolean
} {
  if (isVerbose) return { shown: groupByFile(given), summaries: [], isFolded: false }
  const shown = new Map<Diagnostic, Diagnostic>()
  const summaries: Summary[] = []
  const diagnostics = given.filter(({ rule }) => rule !== 'edits-withdrawn')
  const groups = Map.groupBy(diagnostics, ({ severity, rule, kind = '' }) => `${severity} ${rule} ${kind}`)
  for (const kind of groups.values()) {
    const [{ severity, rule } = { severity: 'info', rule: '' } as const] = kind
    if (severity === 'info' && kind.length > 1) {
      summaries.push({ severity, rule, text: summarizeInfos(rule, kind) })
      continue
    }
    const equal = [...Map.groupBy(kind, ({ message }) => message).values()]
    // A line about one message would not be shorter than the message.
    const most = equal.length > MOST_SHOWN[severity] + 1 ? MOST_SHOWN[severity] : equal.length
    for (const [first, ...others] of equal.slice(0, most)) {
      const count = others.length === 0 ? '' : ` (${describeTimes([first!, ...others])})`
      shown.set(first!, { ...first!, message: first!.message + count })
    }
    const rest = equal.slice(most).flat()
    if (rest.length > 0)
      summaries.push({ severity, rule, text: `… and ${rest.length} more in ${formatFiles(rest)}` })
  }
  const kept = diagnostics.flatMap((diagnostic) => shown.get(diagnostic) ?? [])
  const isFolded = kept.length < diagnostics.length
  return { shown: groupByFile(kept), summaries: summaries.toSorted(compareSeverity), isFolded }
}

function groupByFile(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...Map.groupBy(diagnostics, ({ file }) => file).values()].flat()
}

function describeTimes(diagnostics: readonly Diagnostic[]): string {
  return `${diagnostics.length} times in ${formatFiles(diagnostics)}`
}

/** Joins all infos of a rule into one sentence, with the hint that they share. */
function summarizeInfos(rule: string, infos: readonly Diagnostic[]): string {
  const files = formatFiles(infos)
  const [{ kind } = {}] = infos
  const count = infos.reduce((sum, { count: one = 0 }) => sum + one, 0)
  if (kind !== undefined) return describeCount(rule, kind, count, files)
  const verb = VERBS.get(rule)
  if (verb === undefined) {
    const { message, hint } = infos[0]!
    const isShared = hint !== null && infos.every((info) => info.hint === hint)
    return `${message} (${describeTimes(infos)})${isShared ? `. ${hint}` : ''}`
  }
  return `${verb} ${listNames(infos)} in ${files}`
}

/** What was done with the names of infos, by rule. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ['assumed-fields', 'assumed'],
  ['passed-through', 'passed through'],
  ['kept-value', 'kept for other tools:'],
  ['duplicate-key', 'kept the last value of repeated keys:'],
])

function listNames(infos: readonly Diagnostic[]): string {
  const groups = Map.groupBy(
    infos.flatMap(({ names = [] }) => names),
    (name) => name,
  )
  const names = Array.from(groups.values())
    .toSorted((a, b) => b.length - a.length)
    .map(([name]) => name!)
  const rest = names.length - MOST_NAMES
  return rest <= 1 ? names.join(', ') : `${names.slice(0, MOST_NAMES).join(', ')} and ${rest} more`
}

function formatFiles(diagnostics: readonly Diagnostic[]): string {
  const count = new Set(diagnostics.map(({ file }) => file)).size
  return count === 1 ? '1 file' : `${count} files`
}

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 }

type Rated = Pick<Diagnostic, 'severity'>

export function compareSeverity(a: Rated, b: Rated): number {
  return ORDER[a.severity] - ORDER[b.severity]
}
