import { PAIRS, TRIPLES } from './term-lists.ts'
import type { Tokenizer } from '../../tokens/types.ts'
import { STOP_WORDS } from '../candidates/word-lists.ts'

/**
 * Assigns each candidate, in order, one of the `free` acronyms: its initials if unused, else letters of its text in
 * order, else another acronym with its first letter, else any.
 *
 * @param free Acronyms to assign; the first of equally good ones is taken.
 */
export function makeAcronyms(
  texts: ReadonlyMap<number, string>,
  free: readonly string[],
): Map<number, string> {
  const terms = new Map<number, string>()
  const unused = new Set(free)
  const byFirst = new Map<string, string[]>()
  for (const acronym of free) {
    const sameFirst = byFirst.get(acronym[0]!)
    if (sameFirst) sameFirst.push(acronym)
    else byFirst.set(acronym[0]!, [acronym])
  }
  for (const [candidate, text] of texts) {
    const words = splitWords(text)
    const contentWords = words.filter((word) => !STOP_WORDS.has(word.toLowerCase()))
    const letters = (contentWords.length > 0 ? contentWords : words).join('').toUpperCase()
    const sameFirst = byFirst.get(letters.charAt(0)) ?? []
    const term =
      listInitials(contentWords, words).find((initials) => unused.has(initials)) ??
      pickNearest(sameFirst, letters) ??
      unused.values().next().value
    if (term === undefined) continue
    terms.set(candidate, term)
    unused.delete(term)
    const group = byFirst.get(term[0]!)!
    group.splice(group.indexOf(term), 1)
  }
  return terms
}

/** Lists the acronyms that are one token behind a space, pairs first, the cheapest over all tokenizer families first. */
export function listAcronyms(tokenizer: Tokenizer): readonly string[] {
  const known = KNOWN.get(tokenizer)
  if (known) return known
  const all = [...PAIRS.match(/../g)!, ...TRIPLES.match(/.../g)!]
  const acronyms = all.filter((acronym) => tokenizer.isOneToken(` ${acronym}`))
  KNOWN.set(tokenizer, acronyms)
  return acronyms
}

const KNOWN = new WeakMap<Tokenizer, readonly string[]>()

function listInitials(...lists: readonly (readonly string[])[]): string[] {
  return lists.flatMap((words) => {
    const initials = words.map((word) => word.charAt(0).toUpperCase()).join('')
    if (initials.length < 2) return []
    return initials.length === 2 ? [initials] : [initials.slice(0, 3), initials[0]! + initials.at(-1)!]
  })
}

/** Returns the best acronym: one whose letters occur in `letters` in order, else any; a pair before a triple. */
function pickNearest(acronyms: readonly string[], letters: string): string | undefined {
  let nearest: string | undefined
  let least = Infinity
  for (const acronym of acronyms) {
    const distance = (isWithin(acronym, letters) ? 0 : 2) + acronym.length
    if (distance >= least) continue
    nearest = acronym
    least = distance
  }
  return nearest
}

function isWithin(acronym: string, letters: string): boolean {
  let from = 0
  for (const letter of acronym) {
    const at = letters.indexOf(letter, from)
    if (at < 0) return false
    from = at + 1
  }
  return true
}

/** Splits into words of ASCII letters, also at camel case. */
function splitWords(text: string): string[] {
  return text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []
}
