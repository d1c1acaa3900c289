import { classAt, classBefore, WORD } from '../decode/word-edge.ts'

/** Whether both edges of the term are in W. */
export function isWordTerm(term: string): boolean {
  return (classAt(term, 0) & classBefore(term, term.length) & WORD) > 0
}

/**
 * Creates a generator of `count` terms that occur nowhere in `texts`. For a word it appends letters, so that the new term
 * matches in the same places. For other terms it returns symbols, then pairs of symbols. The first symbol of a pair
 * is used for nothing else, so two terms in a row never read as a third.
 */
export function createTermGenerator(
  texts: readonly string[],
  count: number,
): (old: string) => string | undefined {
  const all = texts.join('')
  const free = SYMBOLS.filter((symbol) => !all.includes(symbol))
  const leads = count > free.length ? Math.min(free.length >> 1, Math.ceil(count / SYMBOLS.length)) : 0
  const pairs = free.splice(free.length - leads).flatMap((lead) => SYMBOLS.map((symbol) => lead + symbol))
  const symbols = [...free, ...pairs].values()
  let words: Set<string> | undefined
  const tried = new Map<string, number>()
  return (old) => {
    if (!isWordTerm(old)) return symbols.next().value
    words ??= new Set(texts.flatMap(listWords))
    for (let number = tried.get(old) ?? 0; number < 702;) {
      const term = old + (number < 26 ? '' : letter(number / 26 - 1)) + letter(number % 26)
      const word = listWords(term).pop()!
      tried.set(old, ++number)
      if (!words.has(word)) {
        words.add(word)
        return term
      }
    }
    return undefined
  }
}

/**
 * Symbols for new terms: outside of W, stable under NFKC, written from left to right, alike neither each other nor
 * ASCII, and one token each in the tokenizers that a pack can name. They are among the last that the compressor takes,
 * so that packs leave them free.
 */
export const SYMBOLS: readonly string[] = /* @__PURE__ */ Array.from(
  '※¬¶' +
    'ござじろダチナバビピポペズ' +
    '생결버조함공글메명목신운적진출임체태거디져능든록류른션턴튼' +
    '找询键购频额链填円午款球',
)

function letter(number: number): string {
  return String.fromCharCode(65 + number)
}

/** Returns the runs of W in a text, in lower case. */
function listWords(this: void, text: string): string[] {
  const words: string[] = []
  let from = -1
  for (let at = 0; at <= text.length; at++) {
    const isWord = at < text.length && classAt(text, at) & WORD
    if (isWord && from < 0) from = at
    if (!isWord && from >= 0) {
      words.push(text.slice(from, at).toLowerCase())
      from = -1
    }
  }
  return words
}
