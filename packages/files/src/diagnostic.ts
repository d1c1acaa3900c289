/** Severity of a diagnostic. A source with an error is not built. */
export type Severity = 'error' | 'warning' | 'info'

/** A position in a file; line and column count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

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

/** The way out for text of other files that a pack lacks, whatever keeps it out. */
export const NOT_IN_PACK_HINT = 'write the text into the page, or insert it with `prepare` in packs.config.js'

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
  const counts = new Map<string, number>()
  for (const { kind } of leftOut) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].toSorted(
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

/** What happened to a file; `why` follows its name. */
export interface Reason {
  readonly file: string
  readonly why: string
}

const MOST_REASONS = 3
const MORE = 'more files are skipped for other reasons'

/** A line for each reason, with the first of its files. */
export function foldReasons(reasons: readonly Reason[], others: string = MORE): string[] {
  const shown = [...new Set(reasons.map(({ why }) => why))].slice(0, MOST_REASONS)
  const lines = shown.map((reason) => {
    const [first, ...same] = reasons.filter(({ why }) => why === reason)
    return `${first!.file} ${reason}${same.length === 0 ? '' : ` (and ${same.length} more)`}`
  })
  const rest = reasons.filter(({ why }) => !shown.includes(why)).length
  return rest === 0 ? lines : [...lines, `${rest} ${others}`]
}
