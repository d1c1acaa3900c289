import { VFileMessage } from 'vfile-message'
import type { Place } from './types.ts'

/** What a message says beside its rule. */
export interface MessageContent {
  readonly path: string
  readonly severity: 'error' | 'warning' | 'info'
  /** What is wrong and what was found. */
  readonly reason: string
  /** What to do about it. */
  readonly hint: string
  readonly place: Place
}

/** Makes a message as vfile-reporter and other tools of that family show it: `fatal` is `true` for an error, `false` for a warning. */
export function createMessage(
  rule: string,
  { path, severity, reason, hint, place }: MessageContent,
): VFileMessage {
  const message = new VFileMessage(reason, { place: { ...place }, ruleId: rule, source: 'packs' })
  message.name = `${path}:${message.name}`
  message.file = path
  message.note = hint
  message.fatal = severity === 'info' ? undefined : severity === 'error'
  return message
}
