import { findOwnScripts, scriptOf, type TermScript } from '../../rosetta/term-scripts.ts'
import type { Tokenizer, TokenizerName } from '../../tokens/types.ts'
import {
  BARE_COSTS,
  FORMS_CL100K_BASE,
  FORMS_O200K_BASE,
  LETTERS,
  SPACED_COSTS,
  TOTAL_WEIGHT,
} from './term-lists.ts'

/** A letter of Han, kana, Hangul or Thai that can be a term: it is one token. */
export interface TermLetter {
  readonly term: string
  readonly script: TermScript
  /** Whether it forms one token with a space before it, which then costs nothing. */
  readonly mergesWithSpace: boolean
  /** Extra tokens of a use, averaged over the tokenizer families. */
  readonly bareCost: number
  /** Extra tokens of a use after a space, averaged over the tokenizer families. */
  readonly spacedCost: number
}

/**
 * Lists the letters that are one token of a tokenizer, the cheapest over all tokenizer families
 * first.
 */
export function listLetters(tokenizer: Tokenizer): readonly TermLetter[] {
  const known = KNOWN_LETTERS.get(tokenizer)
  if (known) return known
  const forms = FORMS[tokenizer.name]
  const letters: TermLetter[] = []
  for (let at = 0; at < LETTERS.length; at++) {
    const term = LETTERS[at]!
    const form = Number(forms[at])
    if ((form & 1) === 0) continue
    letters.push({
      term,
      script: scriptOf(term)!,
      mergesWithSpace: (form & 2) !== 0,
      bareCost: parseInt(BARE_COSTS[at]!, 36) / TOTAL_WEIGHT,
      spacedCost: parseInt(SPACED_COSTS[at]!, 36) / TOTAL_WEIGHT,
    })
  }
  KNOWN_LETTERS.set(tokenizer, letters)
  return letters
}

const FORMS: Readonly<Record<TokenizerName, string>> = {
  o200k_base: FORMS_O200K_BASE,
  cl100k_base: FORMS_CL100K_BASE,
}
const KNOWN_LETTERS = new WeakMap<Tokenizer, readonly TermLetter[]>()

/**
 * Lists the letters that may be terms of a text (SPEC.md §8.6, T8): the text neither contains them
 * nor is written in their script.
 * @param authorTerms The author's terms, which no letter may look like (T4): their scripts are
 *   excluded too.
 */
export function listFreeLetters(
  tokenizer: Tokenizer,
  text: string,
  authorTerms: readonly string[] = [],
): readonly TermLetter[] {
  const ownScripts = findOwnScripts([text])
  // Each on its own, because one term of a script is enough.
  const authorScripts = new Set(authorTerms.flatMap((term) => [...findOwnScripts([term])]))
  const present = new Uint8Array(0x10000)
  for (let at = 0; at < text.length; at++) present[text.charCodeAt(at)] = 1
  return listLetters(tokenizer).filter(
    ({ term, script }) =>
      present[term.charCodeAt(0)] === 0 && !ownScripts.has(script) && !isNear(script, authorScripts),
  )
}

/**
 * Whether a script is one of `scripts` or looks like one: only letters of Han and kana look alike.
 */
function isNear(script: TermScript, scripts: ReadonlySet<TermScript>): boolean {
  if (script === 'Han' || script === 'Kana') return scripts.has('Han') || scripts.has('Kana')
  return scripts.has(script)
}
