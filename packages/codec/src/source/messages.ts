import { findAbove } from '../binary-search.ts'
import type { Position, SourceMessage } from './types.ts'

export interface MessageContent {
  readonly path: string
  readonly severity: 'error' | 'warning' | 'info'
  readonly reason: string
  readonly hint: string
  readonly position: Position
  readonly names?: readonly string[] | undefined
}

/** `fatal` is `true` for an error, `false` for a warning and unset for an info. */
export function createMessage(
  rule: string,
  { path, severity, reason, hint, position, names }: MessageContent,
): SourceMessage {
  const { line, column } = position
  return Object.assign(new Error(reason), {
    name: `${path}:${line}:${column}`,
    // Where in this program it was made helps nobody.
    stack: '',
    reason,
    line,
    column,
    place: { line, column },
    ruleId: rule,
    source: 'packs',
    file: path,
    note: hint,
    fatal: severity === 'info' ? undefined : severity === 'error',
    ...(names !== undefined && { names }),
  })
}

/** Maximum messages of one rule about one source; further ones are only counted. */
const MOST = 50

/** Keeps 50 messages of each rule, and one with the number of the others. */
export function capMessages(messages: readonly SourceMessage[]): SourceMessage[] {
  const counts = new Map<string, number>()
  for (const { ruleId } of messages) counts.set(ruleId, (counts.get(ruleId) ?? 0) + 1)
  const seen = new Map<string, number>()
  return messages.flatMap((message) => {
    const { ruleId } = message
    const before = seen.get(ruleId) ?? 0
    seen.set(ruleId, before + 1)
    if (before < MOST) return [message]
    return before === MOST ? [countRest(message, counts.get(ruleId)! - MOST)] : []
  })
}

function countRest({ ruleId, file, fatal, line, column }: SourceMessage, rest: number): SourceMessage {
  return createMessage(ruleId, {
    path: file,
    severity: fatal ? 'error' : fatal === false ? 'warning' : 'info',
    reason: `${rest} more messages of this rule, the first of them here`,
    hint: 'Correct those above to see them.',
    position: { line, column },
  })
}

/**
 * Creates a function that converts UTF-16 offsets of a text to lines and columns, both from 1;
 * `\n`, `\r\n` and a lone `\r` end a line, and a byte order mark takes no column. Finds the lines
 * once, so that each conversion takes a binary search.
 */
export function createPositionFinder(text: string): (offset: number) => Position {
  const starts = [0]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x0a || (unit === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) starts.push(at + 1)
  }
  const hasMark = text.charCodeAt(0) === 0xfeff
  return (offset) => {
    const line = findAbove(starts, offset)
    const column = offset - (starts[line - 1] ?? 0) + 1
    return { line, column: line === 1 && hasMark ? Math.max(1, column - 1) : column }
  }
}

/** `error`: there is no source. `warning`: to check. `info`: no action is needed. */
type SourceSeverity = 'error' | 'warning' | 'info'

/** Rules with their severity. Repeated keys of other tools, and text without keys, are infos. */
export const sourceRules = {
  'source-too-large': 'error', // the file is over 16 MiB
  'invalid-utf8': 'error', // a byte is not valid UTF-8
  'front-matter-unclosed': 'warning', // the first line is `---` or `+++` with keys below it, but no line closes the front matter: it is read as part of the body
  'front-matter-too-large': 'warning', // the front matter has more than 262,144 characters, so it is read as part of the body
  'front-matter-yaml': 'warning', // the front matter between lines `---` is not valid YAML: each key is read on its own, as text where it is not valid
  'front-matter-toml': 'warning', // the front matter between lines `+++` is not valid TOML: each key is read on its own, as text where it is not valid
  'front-matter-json': 'warning', // the front matter from `{` to `}` is not valid JSON: each key is read on its own, as text where it is not valid
  'front-matter-not-a-map': 'warning', // text between two fences at the top does not begin with a key, so it is read as part of the body (an info
  'duplicate-key': 'error', // a key occurs twice; an info for keys of other tools, whose last value is kept
  'unknown-key': 'warning', // a key looks like a misspelling of a key of Packs, or has no meaning where it stands
  'invalid-value': 'error', // the value is not allowed for the key
  'kept-value': 'info', // a value of a key that other tools use too is not valid for packs and is kept for those tools
  'reserved-slug': 'error', // the catalog uses the slug in its own URLs
  'passed-through': 'info', // keys for other tools are kept in the pack as `metadata`
  'hidden-page': 'info', // readers of the site do not see the page: a draft, or by its dates and the clock (a folder build skips it)
  'metadata-left-out': 'info', // the keys for other tools exceed 64 KiB or 16 levels, so the pack has no `metadata`
  'assumed-fields': 'info', // missing fields were derived
  'directive-unclosed': 'error', // `<!-- pack:verbatim -->` without `<!-- /pack -->`
  'directive-stray': 'error', // `<!-- /pack -->` closes nothing
  'directive-nested': 'error', // a region inside another region
  'directive-unknown': 'warning', // the directive is unknown
  'directive-inline': 'warning', // a directive shares its line with other text and has no effect
} as const

export type SourceRule = keyof typeof sourceRules

export interface Finding {
  readonly rule: SourceRule
  /** @default the severity of the rule */
  readonly severity?: SourceSeverity
  readonly reason: string
  readonly hint: string
  /** UTF-16 offset in the part: in the front matter between its fences, or in the body. */
  readonly offset: number
  readonly names?: readonly string[]
}
