import { VFileMessage } from 'vfile-message'
import type { Position, SourceMessage } from './types.ts'

export interface MessageContent {
  readonly path: string
  readonly severity: 'error' | 'warning' | 'info'
  /** What is wrong and what was found. */
  readonly reason: string
  /** What to do about it. */
  readonly hint: string
  readonly position: Position
  /** What the message lists, if it lists names. */
  readonly names?: readonly string[] | undefined
}

/**
 * Creates a message for vfile-reporter and similar tools: `fatal` is `true` for an error, `false`
 * for a warning and unset for an info.
 */
export function createMessage(
  rule: string,
  { path, severity, reason, hint, position, names }: MessageContent,
): SourceMessage {
  const message: SourceMessage = new VFileMessage(reason, {
    place: { ...position },
    ruleId: rule,
    source: 'packs',
  })
  message.name = `${path}:${message.name}`
  message.file = path
  message.note = hint
  message.fatal = severity === 'info' ? undefined : severity === 'error'
  if (names !== undefined) message.names = names
  return message
}

/** Maximum messages of one rule about one source; further ones are only counted. */
const MOST = 50

/**
 * Keeps the first 50 messages of each rule and replaces the others by one message with their
 * number.
 */
export function capMessages(messages: readonly SourceMessage[]): SourceMessage[] {
  const counts = new Map<string | undefined, number>()
  for (const { ruleId } of messages) counts.set(ruleId, (counts.get(ruleId) ?? 0) + 1)
  const seen = new Map<string | undefined, number>()
  return messages.flatMap((message) => {
    const { ruleId } = message
    const before = seen.get(ruleId) ?? 0
    seen.set(ruleId, before + 1)
    if (before < MOST) return [message]
    return before === MOST ? [countRest(message, counts.get(ruleId)! - MOST)] : []
  })
}

function countRest({ ruleId, file, fatal, line, column }: SourceMessage, rest: number): SourceMessage {
  return createMessage(ruleId ?? '', {
    path: file ?? '',
    severity: fatal ? 'error' : fatal === false ? 'warning' : 'info',
    reason: `${rest} more messages of this rule, the first of them here`,
    hint: 'Correct those above to see them.',
    position: { line: line ?? 1, column: column ?? 1 },
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
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    const column = offset - (starts[low] ?? 0) + 1
    return { line: low + 1, column: low === 0 && hasMark ? Math.max(1, column - 1) : column }
  }
}

/**
 * `error`: there is no source. `warning`: there is a source, and the author should check it.
 * `info`: no action is needed.
 */
type SourceSeverity = 'error' | 'warning' | 'info'

/**
 * The rules of the messages about a source, with their severity. Keys of other tools that are
 * repeated, and text between rules without keys, are infos.
 */
export const sourceRules = {
  'source-too-large': 'error',
  'invalid-utf8': 'error',
  'front-matter-unclosed': 'error',
  'front-matter-too-large': 'error',
  'front-matter-yaml': 'error',
  'front-matter-toml': 'error',
  'front-matter-json': 'error',
  'front-matter-not-a-map': 'warning',
  'duplicate-key': 'error',
  'unknown-key': 'warning',
  'invalid-value': 'error',
  'kept-value': 'info',
  'reserved-slug': 'error',
  'passed-through': 'info',
  'metadata-left-out': 'info',
  'assumed-fields': 'info',
  'directive-unclosed': 'error',
  'directive-stray': 'error',
  'directive-nested': 'error',
  'directive-unknown': 'warning',
  'directive-inline': 'warning',
} as const

export type SourceRule = keyof typeof sourceRules

/** A problem in a part of a source. */
export interface Finding {
  readonly rule: SourceRule
  /** @default the severity of the rule */
  readonly severity?: SourceSeverity
  /** What is wrong and what was found. */
  readonly reason: string
  /** What to do about it. */
  readonly hint: string
  /** UTF-16 offset in the part: in the front matter between its fences, or in the body. */
  readonly offset: number
  /** What the finding lists, if it lists names. */
  readonly names?: readonly string[]
}
