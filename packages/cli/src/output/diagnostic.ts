import type { SourceResult } from '@packs/codec/pack'

/** Severity of a diagnostic. A source with an error is not built. */
export type Severity = 'error' | 'warning' | 'info'

/** A message about a file. Lines and columns count from 1. */
export interface Diagnostic {
  /** Name of the file; empty for a message about the whole run. */
  readonly file: string
  readonly line: number | null
  readonly column: number | null
  readonly severity: Severity
  /** Code of the rule or error, as `docs/errors.md` lists it. */
  readonly rule: string
  readonly message: string
  readonly hint: string | null
  /** What the message lists, such as the keys of `passed-through`. */
  readonly names?: readonly string[]
  /** What the message counts, in the singular, such as `Hugo shortcode`. */
  readonly kind?: string
  readonly count?: number
}

/** Returns a text like `3 Hugo shortcodes in 2 files are not in their packs`. */
export function describeCount(rule: string, kind: string, count: number, files: string = ''): string {
  const [name = '', note] = kind.split(' (')
  const [first = '', ...rest] = name.split(' of ')
  const plural = count === 1 ? name : [`${first}s`, ...rest].join(' of ')
  const things = `${count} ${plural}${note === undefined ? '' : ` (${note}`}`
  if (rule === 'includes-resolved') return `resolved ${things}${files && ` in ${files}`}`
  return `${things}${files && ` in ${files}`} ${count === 1 ? 'is' : 'are'} not in ${files ? 'their packs' : 'the pack'}`
}

type ParserMessage = SourceResult['messages'][number]
type SourceMessage = Pick<ParserMessage, 'reason'> &
  Partial<Pick<ParserMessage, 'line' | 'column' | 'fatal' | 'ruleId' | 'note' | 'names'>>

/** Converts a vfile message: `fatal` true is an error, false a warning, unset an info. */
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

/** Returns a diagnostic without line and column. */
export function errorDiagnostic(
  file: string,
  rule: string,
  message: string,
  hint: string | null,
  severity: Severity = 'error',
): Diagnostic {
  return { file, line: null, column: null, severity, rule, message, hint }
}

/** A file or folder that the search of a folder skipped. */
export interface LeftOut {
  readonly shown: string
  /** An extension, `no extension`, one of {@link SKIPPED}, or a reason, as `ignored file`. */
  readonly kind: string
}

/** Kinds of sources that readers of the site do not see. */
const SKIPPED: ReadonlySet<string> = new Set(['draft', 'unpublished page', 'unlisted page', 'partial'])

const MOST_KINDS = 8

/** Returns an info about what was skipped, or one about each file if `isVerbose`. */
export function describeLeftOut(leftOut: readonly LeftOut[], isVerbose: boolean | undefined): Diagnostic[] {
  const create = (file: string, message: string): Diagnostic =>
    errorDiagnostic(file, 'left-out', message, null, 'info')
  if (isVerbose) return leftOut.map(({ shown, kind }) => create(shown, `skipped: ${kind}`))
  const text = formatLeftOut(leftOut)
  if (text === undefined) return []
  const hasDrafts = leftOut.some(({ kind }) => SKIPPED.has(kind))
  return [create('', hasDrafts ? `${text} (--drafts takes drafts, unlisted pages and partials)` : text)]
}

/** Returns a text like `skipped 2 drafts, 3 .png`; undefined for nothing. */
export function formatLeftOut(leftOut: readonly LeftOut[]): string | undefined {
  const kinds = countKinds(leftOut)
  if (kinds.length === 0) return undefined
  const most = Math.max(MOST_KINDS, kinds.filter(([kind]) => isPage(kind)).length)
  const rest = kinds.slice(most).reduce((sum, [, count]) => sum + count, 0)
  const names = kinds.slice(0, most).map(([kind, count]) => formatKind(kind, count))
  return `skipped ${[...names, ...(rest === 0 ? [] : [`${rest} others`])].join(', ')}`
}

/** Tells whether a kind is of pages, or of folders that may have some. */
export function isPage(kind: string): boolean {
  return !kind.startsWith('.') && kind !== 'no extension'
}

/** First come pages that readers of the site do not see, last files of other kinds. */
export function countKinds(leftOut: readonly LeftOut[]): [kind: string, count: number][] {
  const groups = Map.groupBy(leftOut, ({ kind }) => kind)
  return Array.from(groups, ([kind, { length }]): [string, number] => [kind, length]).toSorted(
    ([kind, count], [other, others]) => rankKind(kind) - rankKind(other) || others - count,
  )
}

function rankKind(kind: string): number {
  return SKIPPED.has(kind) ? 0 : isPage(kind) ? 1 : 2
}

function formatKind(kind: string, count: number): string {
  if (kind === 'no extension')
    return count === 1 ? '1 file without extension' : `${count} files without extension`
  const plural = kind.replace(/^(?:file|link|page|README)\b|$/, '$&s')
  return kind.startsWith('.') || count === 1 ? `${count} ${kind}` : `${count} ${plural}`
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
