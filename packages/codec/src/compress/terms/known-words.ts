import { KNOWN_WORDS, MEANINGS } from './known-word-lists.ts'

/**
 * Whether readers know a term of two to four letters as something else: a word, code, unit or
 * acronym (rule T10, SPEC.md §8.6). Ignores case. Terms of other lengths are never known.
 */
export function isKnownWord(term: string): boolean {
  if (!/^[a-z]{2,4}$/i.test(term)) return false
  knownWords ??= new Set(readGaps(KNOWN_WORDS))
  return knownWords.has(numberTerm(term))
}

/**
 * Whether an acronym that readers know stands for a phrase, so that it may be the term of this
 * phrase only. Ignores case, the width of white space, hyphens and a final `s`.
 */
export function means(term: string, phrase: string): boolean {
  meanings ??= new Set(readGaps(MEANINGS))
  const plain = phrase
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, ' ')
  return [plain, plain.replace(/s$/, '')].some((each) => meanings!.has(hashMeaning(term, each)))
}

let knownWords: ReadonlySet<number> | undefined
let meanings: ReadonlySet<number> | undefined

/** Numbers terms of letters by length, then alphabetically, from 1. */
export function numberTerm(term: string): number {
  return Array.from(term.toUpperCase()).reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0)
}

/**
 * Returns the 32-bit hash that represents a meaning in the table (FNV-1a): a tenth of the phrases'
 * size.
 */
export function hashMeaning(term: string, phrase: string): number {
  return Array.from(`${term.toUpperCase()}=${phrase}`).reduce(
    (hash, letter) => Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193) >>> 0,
    0x811c9dc5,
  )
}

/**
 * Reads ascending numbers, each stored as the difference from the one before: its last digit is `0`
 * to `z`, the digits before it are `A` to `Z` for 1 to 26.
 */
function readGaps(text: string): number[] {
  const numbers: number[] = []
  let number = 0
  let high = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 65 && code <= 90) high = high * 26 + code - 64
    else {
      number += high * 36 + code - (code < 65 ? 48 : 87)
      numbers.push(number)
      high = 0
    }
  }
  return numbers
}
