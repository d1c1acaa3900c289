import type { Diagnostic, Severity } from './diagnostic.ts'

/** What a report prints: messages in full, then one line for each kind of message that was left out. */
export interface FoldedDiagnostics {
  /** Grouped by file, in the order in which the files first appear. */
  readonly shown: readonly Diagnostic[]
  readonly summaries: readonly Summary[]
}

/** One line about several messages of one rule. */
export interface Summary {
  readonly severity: Severity
  readonly rule: string
  readonly text: string
}

/** Messages of one rule that are printed in full. The others are counted. */
const MOST: Readonly<Record<Severity, number>> = { error: 10, warning: 3, info: 1 }

/** Names that a summary lists before it only counts the others. */
const MOST_NAMES = 12

/** Keeps the first messages of each rule and summarizes the others; keeps all if `isVerbose`. */
export function foldDiagnostics(
  diagnostics: readonly Diagnostic[],
  isVerbose: boolean | undefined,
): FoldedDiagnostics {
  const shown = new Set<Diagnostic>()
  const summaries: Summary[] = []
  for (const kind of Map.groupBy(diagnostics, ({ severity, rule }) => `${severity} ${rule}`).values()) {
    const [{ severity, rule } = { severity: 'info', rule: '' } as const] = kind
    // A line about one message would not be shorter than the message.
    const isSummarized = !isVerbose && kind.length > MOST[severity] + (severity === 'info' ? 0 : 1)
    const kept = !isSummarized ? kind : severity === 'info' ? [] : kind.slice(0, MOST[severity])
    for (const diagnostic of kept) shown.add(diagnostic)
    if (isSummarized) {
      const text = severity === 'info' ? summarizeInfos(rule, kind) : countRest(kind.slice(kept.length))
      summaries.push({ severity, rule, text })
    }
  }
  const files = Map.groupBy(
    diagnostics.filter((diagnostic) => shown.has(diagnostic)),
    ({ file }) => file,
  )
  return { shown: [...files.values()].flat(), summaries: summaries.toSorted(compareSeverity) }
}

function countRest(rest: readonly Diagnostic[]): string {
  return `… and ${rest.length} more in ${formatFiles(rest)}`
}

/** Infos ask for nothing, so one sentence stands for all of a kind. */
function summarizeInfos(rule: string, infos: readonly Diagnostic[]): string {
  const files = formatFiles(infos)
  if (rule === 'assumed-fields') return `assumed ${listNames(infos)} in ${files}`
  if (rule === 'passed-through') return `passed through ${listNames(infos)} in ${files}`
  return `${infos[0]!.message} (${infos.length} times in ${files})`
}

/** Joins what the messages list, the most frequent names first. */
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

function compareSeverity(a: Summary, b: Summary): number {
  return ORDER[a.severity] - ORDER[b.severity]
}
