import type { SourceResult } from '@packs/codec/pack'
import { formatNumber } from './terminal.ts'
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

/** Errors of a kind that are printed in full. */
const MOST_ERRORS = 3

interface FoldedDiagnostics {
  readonly shown: readonly Diagnostic[]
  readonly summaries: readonly string[]
  readonly leftOut: string
  readonly isFolded: boolean
}

/**
 * Keeps the first errors of each kind, and of warnings the first with their number, by file. Of
 * infos only what is skipped is told, in one line. `isVerbose` keeps all.
 */
export function foldDiagnostics(
  given: readonly Diagnostic[],
  isVerbose: boolean | undefined,
): FoldedDiagnostics {
  if (isVerbose) return { shown: groupByFile(given), summaries: [], leftOut: '', isFolded: false }
  const shown = new Map<Diagnostic, Diagnostic>()
  const summaries: string[] = []
  const told = given.filter(({ severity }) => severity !== 'info')
  const groups = Map.groupBy(told, ({ severity, rule, kind = '' }) => `${severity} ${rule} ${kind}`)
  for (const group of groups.values()) {
    const [first, ...same] = group as [Diagnostic, ...Diagnostic[]]
    const { severity, rule, kind = '', count } = first
    if (count !== undefined) {
      const all = group.reduce((sum, one) => sum + (one.count ?? 0), 0)
      const files = same.length === 0 ? '' : formatFiles(group)
      shown.set(first, { ...first, message: describeCount(rule, kind, all, files) })
      continue
    }
    const equal = [...Map.groupBy(group, ({ message }) => message).values()]
    // A line about one message would not be shorter than the message.
    const [limit, least] = severity === 'error' ? [MOST_ERRORS, MOST_ERRORS + 1] : [1, 2]
    const most = equal.length > least ? limit : equal.length
    const rest = equal.slice(most).flat()
    const more = `and ${rest.length} more in ${formatFiles(rest)}`
    for (const [one, ...others] of equal.slice(0, most)) {
      const times =
        others.length === 0 ? '' : ` (${others.length + 1} times in ${formatFiles([one!, ...others])})`
      const also = rest.length > 0 && severity === 'warning' ? ` (${more})` : ''
      shown.set(one!, { ...one!, message: one!.message + times + also })
    }
    if (rest.length > 0 && severity === 'error') summaries.push(`… ${more} ${rule}`)
  }
  const kept = told.flatMap((diagnostic) => shown.get(diagnostic) ?? [])
  const skipped = given.filter(({ rule }) => rule === 'left-out').map(({ message }) => message)
  const isFolded = kept.length < told.length
  return { shown: groupByFile(kept), summaries, leftOut: skipped.join('; '), isFolded }
}

function groupByFile(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...Map.groupBy(diagnostics, ({ file }) => file).values()].flat()
}

function formatFiles(diagnostics: readonly Diagnostic[]): string {
  return formatNumber(new Set(diagnostics.map(({ file }) => file)).size, 'file')
}

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 }

type Rated = Pick<Diagnostic, 'severity'>

export function compareSeverity(a: Rated, b: Rated): number {
  return ORDER[a.severity] - ORDER[b.severity]
}
