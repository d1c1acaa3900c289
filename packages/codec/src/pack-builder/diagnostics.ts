import { capMessages, createMessage } from '../source/messages.ts'
import type { Position, Source, SourceMessage } from '../source/types.ts'

export interface Diagnostics {
  /** In the order of the file, at most 50 of each rule (see {@link capMessages}). */
  list(): SourceMessage[]
  report(rule: BuildRule, position: Position, reason: string, hint: string): void
  /** Position of the first key that the front matter has, else the beginning of the file. */
  findPosition(...keys: string[]): Position
}

export function createDiagnostics({ path, positions }: Source): Diagnostics {
  const messages: SourceMessage[] = []
  const byPosition = (a: SourceMessage, b: SourceMessage): number => a.line - b.line || a.column - b.column
  return {
    list: () => capMessages(messages.toSorted(byPosition)),
    report(rule, position, reason, hint) {
      messages.push(createMessage(rule, { path, severity: buildRules[rule], reason, hint, position }))
    },
    findPosition(...keys) {
      for (const key of keys) {
        const position = positions.get(key)
        if (position !== undefined) return position
      }
      return { line: 1, column: 1 }
    },
  }
}

/** Rules of a build. `error`: no pack, or not the requested one. `info`: needs no action. */
export const buildRules = {
  'empty-body': 'info', // there is no text after the front matter (an info: section pages often have none)
  'unsupported-scheme': 'error', // no scheme has this name
  'glossary-collision': 'error', // a glossary term occurs in the text; each line that contains it gets a message
  'glossary-invalid': 'error', // a glossary rule is invalid, or contradicts another
  'pin-not-found': 'warning', // a glossary phrase does not occur in the text
  'pin-does-not-pay': 'info', // a glossary phrase was skipped: it would cost tokens, or other entries save more
  'pin-excluded': 'info', // a glossary phrase was skipped because another rule forbids it
  'glossary-left-out': 'info', // a term of a glossary for many files occurs in this text, so it is not used here
  'no-terms': 'info', // no header saves enough (2 % and 40 tokens, or `worthHeader`)
  'edits-withdrawn': 'info', // edits of `minify-1` were not made, because the text would have read differently
  'over-budget': 'error', // content and header take more tokens than the budget
} as const

export type BuildRule = keyof typeof buildRules
