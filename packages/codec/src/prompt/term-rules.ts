import { classAt, classBefore, WORD } from '../decode/word-edge.ts'
import { scriptOf, type TermScript } from '../rosetta/term-scripts.ts'

/** Whether both edges of the term are in W. */
export function isWordTerm(term: string): boolean {
  return (classAt(term, 0) & classBefore(term, term.length) & WORD) > 0
}

/**
 * Whether a term is one that encoders choose: a letter of a script without spaces, or an acronym
 * (SPEC.md §8.6).
 */
export function isLetterOrAcronym(term: string): boolean {
  return scriptOf(term) !== undefined || (isWordTerm(term) && /^\p{L}\S/u.test(term))
}

/**
 * Finds the terms that would mislead in a prompt of several sources (SPEC.md §8.6, T8 and T10):
 * letters of the scripts that the sources are written in, and acronyms that are words of a source,
 * in upper or lower case.
 *
 * @param own the scripts of the sources
 */
export function findMisleading(
  terms: Iterable<string>,
  sources: readonly string[],
  own: ReadonlySet<TermScript>,
): Set<string> {
  const misleading = new Set<string>()
  const words = new Map<string, string[]>()
  for (const term of terms) {
    const script = scriptOf(term)
    if (script && own.has(script)) misleading.add(term)
    const word = term.toLowerCase()
    if (isWordTerm(term)) words.set(word, [...(words.get(word) ?? []), term])
  }
  if (words.size)
    for (const source of sources)
      for (const word of readWords(source)) for (const term of words.get(word) ?? []) misleading.add(term)
  return misleading
}

/** Reads the runs of W in a text, in lower case. */
export function* readWords(text: string): Generator<string, void, undefined> {
  let from = -1
  for (let at = 0; at <= text.length; at++) {
    // Both, because the halves of a surrogate pair are one letter.
    const isWord = at < text.length && (classAt(text, at) | classBefore(text, at + 1)) & WORD
    if (isWord && from < 0) from = at
    if (!isWord && from >= 0) {
      yield text.slice(from, at).toLowerCase()
      from = -1
    }
  }
}

/** Letters of which few say something by themselves: three ranges of Han, one of Hangul. */
const RANGES = [
  [0x6c4a, 0x6e2b],
  [0x6f55, 0x7062],
  [0x9100, 0x947f],
  [0xac00, 0xb797],
] as const
/**
 * Characters to skip in the ranges: units, words of logic and size, and letters that look like
 * another one or are a variant of it.
 */
const UNCLEAR = '没法里釐錢鎊泽済録'
/**
 * Indexes of the final consonants of the Hangul syllables to use: single ones that are hard to
 * confuse.
 */
const ENDS = [7, 8, 17, 19, 21, 27]

/**
 * Lists letters that occur in no text and can be terms (SPEC.md §8.6, T8), those of few tokens
 * first.
 *
 * @param own the scripts that supply no terms
 */
export function* listClearLetters(
  texts: readonly string[],
  own: ReadonlySet<TermScript>,
): Generator<string, undefined, undefined> {
  const present = new Set<number>()
  for (const text of texts)
    for (let at = 0; at < text.length; at++)
      if (text.charCodeAt(at) > 0x6c49) present.add(text.charCodeAt(at))
  for (const [first, last] of RANGES)
    for (let code = first; code <= last; code++) {
      const letter = String.fromCharCode(code)
      // Of Hangul only syllables that are hard to confuse: with ㅏ, and one of a few final sounds.
      const isClear = code < 0xac00 || ENDS.includes((code - 0xac00) % 1176)
      if (isClear && !present.has(code) && !own.has(scriptOf(letter)!) && !UNCLEAR.includes(letter))
        yield letter
    }
  return undefined
}
