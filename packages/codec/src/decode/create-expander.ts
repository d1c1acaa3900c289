import { CodecError } from '../errors.ts'
import { checkEntries, MAX_OUTPUT, MAX_RESOLVED } from '../rosetta/grammar.ts'
import { readHeader } from '../rosetta/parse-rosetta.ts'
import type { Rosetta } from '../types.ts'
import { createTrie, matchTerm, NONE, skip, WAIT } from './match-term.ts'

export interface Expander {
  /** Terms by number, from 1. */
  readonly terms: readonly string[]
  /** Expansions by term number, with nesting resolved. */
  readonly expansions: readonly string[]
  /** Takes the next chunk and returns all output that is certain (SPEC.md §4, §6). */
  expand(this: void, chunk: string, final: boolean): string
}

/**
 * Parses a header and resolves each expansion once, from the last entry to the first, with the
 * terms of later entries (SPEC.md §5).
 * @param maxOutput maximum UTF-16 units of output
 * @throws CodecError for an invalid header, and `nesting_too_large` before an expansion over the
 *   limit is built
 */
export function createExpander(rosetta: string | Rosetta, maxOutput: number = MAX_OUTPUT): Expander {
  const { entries: given } = Object(rosetta) as Partial<Rosetta>
  const entries = given ? checkEntries(given) : readHeader(rosetta as string)
  const terms = ['', ...entries.map(({ term }) => term)]
  const expansions = ['', ...entries.map(({ expansion }) => expansion)]
  const trie = createTrie(terms)
  let room = MAX_RESOLVED
  // Text from the left neighbor on, the index to continue at, and the offset of the text in the content.
  let held = ''
  let start = 0
  let offset = 0

  /**
   * @param after the entry whose expansion `text` is, so only later entries match; 0 for content
   */
  function run(text: string, from: number, final: boolean, after = 0): string {
    let output = ''
    for (let next = from; ; next++) {
      next = skip(text, next, trie)
      const found = next < text.length ? matchTerm(trie, text, next, after, final) : WAIT
      if (found === NONE) continue
      const expansion = expansions[found]!
      room -= next - from + expansion.length
      if (room < 0) {
        throw new CodecError(after ? 'nesting_too_large' : 'output_too_large', {
          offset: offset + next + Math.min(0, room + expansion.length),
          entry: after ? after - 1 : undefined,
        })
      }
      output += text.slice(from, next) + expansion
      if (found === WAIT) {
        start = next
        return output
      }
      from = next + terms[found]!.length
      next = from - 1
    }
  }

  for (let number = terms.length; --number;) expansions[number] = run(expansions[number]!, 0, true, number)
  start = 0
  room = maxOutput > 0 ? maxOutput : 0

  return {
    terms,
    expansions,
    expand(chunk, final) {
      if (typeof chunk !== 'string') throw new CodecError('wrong_type', {})
      held += chunk
      const output = run(held, start, final)
      // The left neighbor is one code point, so two units suffice to classify it. A new content has none.
      const cut = Math.max(0, final ? start : start - 2)
      held = held.slice(cut)
      offset += cut
      start -= cut
      return output
    },
  }
}
