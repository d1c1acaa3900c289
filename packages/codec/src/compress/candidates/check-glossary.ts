import { checkEntry } from '../../rosetta/grammar.ts'
import { CodecError } from '../../errors.ts'
import { isWordCodePoint } from '../../decode/word-edge.ts'
import { CompressError } from '../compress-error.ts'
import { codePointBefore } from '../text/lex-units.ts'
import { PhraseFinder } from '../text/phrase-finder.ts'
import type { GlossaryRule } from '../types.ts'

const MAX_COLLISIONS = 100

/** Throws if a glossary contradicts itself or the text (SPEC.md, author's glossary). */
export function checkGlossary(rules: readonly GlossaryRule[], text: string): void {
  const terms = new Set<string>()
  const expansions = new Set<string>()
  const collisions = findCollisions(rules, text)
  for (const [rule, value] of rules.entries()) {
    const { expansion, term, never } = value
    if (expansions.has(expansion))
      throw refuseRule(rule, value, 'Two rules for one phrase', 'Keep one of them.')
    expansions.add(expansion)
    const error = findRuleError(rule, value, terms, collisions)
    if (error !== undefined) throw error
    if (term !== undefined && !never) terms.add(term)
  }
}

/** Returns the error of each rule of a glossary, checked on its own. */
export function listRuleErrors(rules: readonly GlossaryRule[], text: string): (CompressError | undefined)[] {
  const collisions = findCollisions(rules, text)
  return rules.map((value, rule) => findRuleError(rule, value, new Set(), collisions))
}

function findRuleError(
  rule: number,
  value: GlossaryRule,
  terms: ReadonlySet<string>,
  collisions: ReadonlyMap<string, readonly number[]>,
): CompressError | undefined {
  const { expansion, term, never } = value
  if (never && term !== undefined) {
    const hint = 'Remove the term or the "never".'
    return refuseRule(rule, value, 'A phrase with "never" has a term', hint)
  }
  if (term === undefined) return undefined
  try {
    checkEntry({ term, expansion }, new Set(terms.has(term) ? [term] : []), {})
  } catch (error) {
    if (error instanceof CodecError) return refuseRule(rule, value, error.message, error.hint)
    throw error
  }
  const offsets = collisions.get(term)
  if (offsets === undefined) return undefined
  return new CompressError(
    'term_collision',
    `Term occurs in the text: ${JSON.stringify(term)}`,
    'Choose a term that the text does not contain.',
    { rule, offsets },
  )
}

function refuseRule(rule: number, { expansion }: GlossaryRule, message: string, hint: string): CompressError {
  return new CompressError(
    'invalid_glossary',
    `${message}: ${JSON.stringify(expansion.slice(0, 80))}`,
    hint,
    { rule },
  )
}

/**
 * Finds where the terms of `rules` occur in `text` and so must not be terms (SPEC.md, terms), as at
 * most {@link MAX_COLLISIONS} UTF-16 offsets each. A term that starts and ends with word characters
 * collides with a whole run of word characters, ignoring case; any other term, anywhere.
 */
function findCollisions(rules: readonly GlossaryRule[], text: string): Map<string, number[]> {
  const terms = [...new Set(rules.flatMap(({ term = '' }) => (term === '' ? [] : [term])))]
  const words = terms.filter(
    (term) => isWordCodePoint(term.codePointAt(0)!) && isWordCodePoint(codePointBefore(term, term.length)),
  )
  const isWord = new Set(words)
  const found = new Map<string, number[]>()
  const add = (term: string, offset: number): void => {
    const offsets = found.get(term)
    if (offsets === undefined) found.set(term, [offset])
    else if (offsets.length < MAX_COLLISIONS && !offsets.includes(offset)) offsets.push(offset)
  }
  const others = terms.filter((term) => !isWord.has(term))
  if (others.length > 0) new PhraseFinder(others).visit(text, (index, start) => add(others[index]!, start))
  if (words.length > 0) {
    for (const fold of FOLDS) {
      const folded = new Map<string, string[]>()
      for (const term of words) folded.set(fold(term), [...(folded.get(fold(term)) ?? []), term])
      const needles = [...folded.keys()]
      const haystack = fold(text)
      new PhraseFinder(needles).visit(haystack, (index, start) => {
        const needle = needles[index]!
        if (!isWholeRun(haystack, start, start + needle.length)) return
        for (const term of folded.get(needle)!) add(term, start)
      })
    }
  }
  for (const offsets of found.values()) offsets.sort((a, b) => a - b)
  return found
}

const FOLDS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toLowerCase(),
  (text) => text.toUpperCase(),
]

function isWholeRun(text: string, from: number, to: number): boolean {
  const before = codePointBefore(text, from)
  const after = to < text.length ? text.codePointAt(to)! : 0
  return !(from > 0 && isWordCodePoint(before)) && !(to < text.length && isWordCodePoint(after))
}
