import { classAt, classBefore, MARK, WORD } from '../decode/word-edge.ts'

/** Is the term a word: both edges in W. */
export function isWordTerm(term: string): boolean {
  return (classAt(term, 0) & classBefore(term, term.length) & WORD) > 0
}

/**
 * Creates a source of terms that occur nowhere in `texts`, given in lower case. For a word it adds letters, so that the
 * new term matches in the same places; for others it gives symbols, and pairs of them whose first one is used for that
 * alone, so that no two terms can be read as a third.
 */
export function createTermSource(texts: string): (old: string) => string | undefined {
  const given = new Set<string>()
  const free = SYMBOLS.filter((symbol) => !texts.includes(symbol))
  const pairs = free.splice(-LEADS).flatMap((lead) => SYMBOLS.map((symbol) => lead + symbol))
  const symbols = [...free, ...pairs].values()
  return (old) => {
    if (!isWordTerm(old)) return symbols.next().value
    for (let number = 0; number < 702; number++) {
      const term = old + (number < 26 ? '' : letter(number / 26 - 1)) + letter(number % 26)
      if (!texts.includes(term.toLowerCase()) && !given.has(term)) {
        given.add(term)
        return term
      }
    }
    return undefined
  }
}

/** Symbols that begin pairs, of those that are free. */
const LEADS = 8

// Nearly each of them is one token.
const SYMBOLS = /* @__PURE__ */ Array.from({ length: 220 }, (_, index) =>
  String.fromCharCode(index + (index < 32 ? 0xa0 : 0x3020)),
).filter((symbol) => /[\p{P}\p{S}\p{L}]/u.test(symbol) && !(classAt(symbol, 0) & (WORD | MARK)))

function letter(number: number): string {
  return String.fromCharCode(65 + number)
}
