import type { VFileMessage } from 'vfile-message'
import { createMessage } from './create-message.ts'

/** Messages of one rule about one source; what comes behind is counted. */
const MOST = 50

/** Keeps the first 50 messages of each rule; one more, at the place of the first left out, says how many there are. */
export function capMessages(messages: readonly VFileMessage[]): VFileMessage[] {
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

function countRest({ ruleId, file, fatal, line, column }: VFileMessage, rest: number): VFileMessage {
  return createMessage(ruleId ?? '', {
    path: file ?? '',
    severity: fatal ? 'error' : fatal === false ? 'warning' : 'info',
    reason: `${rest} more like those above, the first of them here`,
    hint: 'They are listed once those above are gone.',
    place: { line: line ?? 1, column: column ?? 1 },
  })
}
