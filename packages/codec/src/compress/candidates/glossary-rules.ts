import { checkEntry } from '../../rosetta/check-entry.ts'
import { CodecError } from '../../errors.ts'
import { CompressError } from '../compress-error.ts'
import { findTermInText } from '../text/term-use.ts'
import type { GlossaryRule } from '../types.ts'

const MOST_COLLISIONS = 100

/** Refuses a glossary that contradicts itself or the text (SPEC.md, author's glossary). */
export function checkGlossary(rules: readonly GlossaryRule[], text: string): void {
  const terms = new Set<string>()
  const expansions = new Set<string>()
  for (const [rule, { expansion, term, never }] of rules.entries()) {
    const refuse = (message: string, hint: string): never => {
      throw new CompressError(
        'invalid_glossary',
        `${message}: ${JSON.stringify(expansion.slice(0, 80))}`,
        hint,
        { rule },
      )
    }
    if (expansions.has(expansion)) refuse('Two rules for one phrase', 'Keep one of them.')
    expansions.add(expansion)
    if (never && term !== undefined)
      refuse('A phrase that is never replaced has a term', 'Leave out the term or the "never".')
    if (term === undefined) continue
    try {
      checkEntry({ term, expansion }, terms, {})
    } catch (error) {
      if (error instanceof CodecError) refuse(error.message, error.hint)
      throw error
    }
    const offsets = findTermInText(term, text, MOST_COLLISIONS)
    if (offsets.length === 0) continue
    throw new CompressError(
      'term_collision',
      `Term stands in the text already: ${JSON.stringify(term)}`,
      'Choose a term that the text does not hold.',
      { rule, offsets },
    )
  }
}

/** Every `[start, end)` in UTF-16 offsets where `phrase` stands in `text`, not overlapping. */
export function findPhrase(phrase: string, text: string): number[] {
  const ranges: number[] = []
  if (phrase === '') return ranges
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + phrase.length))
    ranges.push(at, at + phrase.length)
  return ranges
}

/** Joins lists of `[start, end)` pairs into one, rising. */
export function joinRanges(...lists: readonly ArrayLike<number>[]): Int32Array {
  const pairs: [number, number][] = []
  for (const list of lists) for (let at = 0; at < list.length; at += 2) pairs.push([list[at]!, list[at + 1]!])
  pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  const joined: number[] = []
  for (const [start, end] of pairs) {
    const last = joined.length - 1
    if (last > 0 && start <= joined[last]!) joined[last] = Math.max(joined[last]!, end)
    else if (end > start) joined.push(start, end)
  }
  return Int32Array.from(joined)
}
