import { STOP_WORDS } from '../candidates/readability.ts'
import type { Tokenizer } from '../../tokens/types.ts'
import { isKnownWord, means } from './known-words.ts'

/**
 * Shortest and longest acronym to choose, in letters. Readers know nearly every pair as something.
 */
const SHORTEST_ACRONYM = 3
export const LONGEST_ACRONYM = 4
/** Most tokens of an acronym after a space. */
export const MOST_ACRONYM_TOKENS = 2

/**
 * The acronyms of phrases that a text does not use (SPEC.md §8.6, T9 and T10): initials of a
 * phrase's words, or letters of a single name, in order and starting with the first.
 */
export class FreeAcronyms {
  private readonly tokenizer: Tokenizer
  private readonly taken: ReadonlySet<string>
  /** Cached results of {@link listOf}, by the letters of phrases. */
  private readonly known = new Map<string, readonly (readonly string[])[]>()

  /** In capitals: words of the text and the author's terms. */
  constructor(tokenizer: Tokenizer, taken: ReadonlySet<string>) {
    this.tokenizer = tokenizer
    this.taken = taken
  }

  has(phrase: string): boolean {
    return this.countTokens(phrase) !== Infinity
  }

  /**
   * Returns the fewest tokens of any acronym of a phrase, after a space; Infinity if there is none.
   */
  countTokens(phrase: string): number {
    const tokens = this.listAll(phrase).findIndex((acronyms) => acronyms.length > 0)
    return tokens < 0 ? Infinity : tokens
  }

  /**
   * Lists the acronyms of a phrase that take `tokens` tokens after a space, those of its main words
   * first.
   */
  list(phrase: string, tokens: number): readonly string[] {
    return this.listAll(phrase)[tokens] ?? []
  }

  private listAll(phrase: string): readonly (readonly string[])[] {
    const { letters, main } = readLetters(phrase)
    const key = `${letters} ${main}`
    let found = this.known.get(key)
    if (found === undefined) {
      found = this.listOf(listAcronyms(letters, main).filter((acronym) => !isKnownWord(acronym)))
      if (this.known.size >= MOST_KNOWN) this.known.clear()
      this.known.set(key, found)
    }
    if (phrase.length > LONGEST_MEANING) return found
    const own = [main, letters].find((acronym) => isKnownWord(acronym) && means(acronym, phrase))
    return own === undefined
      ? found
      : this.listOf([own]).map((first, tokens) => [...first, ...found[tokens]!])
  }

  private listOf(acronyms: readonly string[]): readonly (readonly string[])[] {
    const byTokens: string[][] = Array.from({ length: MOST_ACRONYM_TOKENS + 1 }, () => [])
    for (const acronym of acronyms)
      if (!this.taken.has(acronym)) byTokens[this.tokenizer.countTokens(` ${acronym}`)]?.push(acronym)
    return byTokens
  }
}

const MOST_KNOWN = 1 << 14
/** Longest phrase that a known acronym stands for, in UTF-16 units. */
const LONGEST_MEANING = 80

/**
 * Assigns an acronym to each phrase in order. Earlier phrases switch to another of theirs if that
 * frees one for a later phrase (augmenting paths: H. W. Kuhn, "The Hungarian Method for the
 * Assignment Problem", 1955).
 * @param options The possible acronyms of each candidate, best first.
 * @returns The acronyms by candidate, without candidates that got none.
 */
export function makeAcronyms(options: ReadonlyMap<number, readonly string[]>): Map<number, string> {
  const holders = new Map<string, number>()
  for (const candidate of options.keys()) assign(candidate, new Set())
  return new Map(Array.from(holders, ([term, candidate]) => [candidate, term]))

  function assign(candidate: number, seen: Set<string>): boolean {
    const terms = options.get(candidate)!
    const unused = terms.find((term) => !holders.has(term))
    if (unused !== undefined) {
      holders.set(unused, candidate)
      return true
    }
    return terms.some((term) => {
      if (seen.has(term)) return false
      seen.add(term)
      if (!assign(holders.get(term)!, seen)) return false
      holders.set(term, candidate)
      return true
    })
  }
}

/** Whether a term is an acronym that recalls a phrase (T9), known or not. */
export function recalls(term: string, phrase: string): boolean {
  const { letters, main } = readLetters(phrase)
  return /^[A-Z]{2,4}$/.test(term) && [letters, main].some((all) => isWithin(term, all))
}

/**
 * Lists the acronyms of a phrase: three or four of its letters in order, starting with the first.
 * Those of the main letters come first, the longest first.
 */
function listAcronyms(letters: string, main: string): string[] {
  const found = new Set([...listParts(main), ...listParts(letters)])
  return [...found]
}

/** Whether `letters` contains the letters of a term in order, both starting with the same one. */
function isWithin(term: string, letters: string): boolean {
  return new RegExp(`^${term.split('').join('.*')}`).test(letters)
}

function listParts(letters: string): string[] {
  let parts = [letters.charAt(0)]
  for (const letter of letters.slice(1))
    parts = [...parts, ...parts.filter((part) => part.length < LONGEST_ACRONYM).map((part) => part + letter)]
  return parts.filter((part) => part.length >= SHORTEST_ACRONYM).sort((a, b) => b.length - a.length)
}

/**
 * How many words of a phrase or letters of a name are used, and how much of the phrase is read, in
 * UTF-16 units.
 */
const MOST_LETTERS = 8
const LONGEST_PART = 256

/**
 * Returns the letters, in order, that an acronym of a phrase draws on, and those of its main words:
 * the first word and all that are not stop words.
 */
function readLetters(phrase: string): { readonly letters: string; readonly main: string } {
  const words = phrase.slice(0, LONGEST_PART).match(WORDS) ?? []
  if (words.length === 1) {
    const letters = fold(words[0])
    const main = letters.charAt(0) + letters.slice(1).replace(/[AEIOU]/g, '')
    return { letters: letters.slice(0, MOST_LETTERS), main: main.slice(0, MOST_LETTERS) }
  }
  const initials = words.slice(0, MOST_LETTERS).map((word) => fold(word).charAt(0))
  const main = initials.filter((_, index) => index === 0 || !STOP_WORDS.has(words[index]!.toLowerCase()))
  return { letters: initials.join(''), main: main.join('') }
}

/** Words of Latin letters, including an apostrophe and what follows it. */
const WORDS = /\p{Script=Latin}+(?:['’]\p{Script=Latin}+)*/gu

/** Returns the letters of a word in capitals without accents, omitting any beyond A to Z. */
function fold(word: string): string {
  return word
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z]/g, '')
}
