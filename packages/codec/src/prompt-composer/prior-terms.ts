import { followsProse, precedesProse } from '../compress/candidates/candidate-rules.ts'
import { CompressError } from '../compress/compress-error.ts'
import { isKnownWord } from '../compress/terms/known-words.ts'
import { createExpander } from '../decode/create-expander.ts'
import { createTrie, matchTerm } from '../decode/match-term.ts'
import { classAt, classBefore, WORD } from '../decode/word-edge.ts'
import { findMisleading, isWordTerm, listClearLetters, readWords } from '../prompt/term-rules.ts'
import { parseRosetta } from '../rosetta/parse-rosetta.ts'
import type { TermScript } from '../rosetta/term-scripts.ts'
import type { Tokenizer } from '../tokens/types.ts'
import type { RosettaEntry } from '../types.ts'

/** The header of a prompt that is extended. */
export interface PriorTerms {
  readonly entries: readonly RosettaEntry[]
  /** The expansion of each entry, nesting resolved. */
  readonly meanings: readonly string[]
  /**
   * Finds the terms, and the expansions that take more tokens than their terms, if the terms would
   * not mislead.
   */
  readonly findTerm: EntryFinder
  readonly findMeaning: EntryFinder
}

/**
 * Returns the longest entry whose text is at an offset and matches as a term does (SPEC.md §4.3);
 * -1 if none does.
 */
type EntryFinder = (text: string, at: number) => number

/** Longest expansion that is looked for in other texts, in UTF-16 units. */
const LONGEST_REUSED = 256

/**
 * @param sources sources of the prompt and of the addition
 * @throws CodecError for an invalid header
 */
export function readPriorTerms(
  rosetta: string,
  tokenizer: Tokenizer,
  sources: readonly string[],
  ownScripts: ReadonlySet<TermScript>,
): PriorTerms {
  const { entries } = parseRosetta(rosetta)
  const terms = entries.map(({ term }) => term)
  const meanings = createExpander({ entries }, 0).expansions.slice(1)
  const misleading = findMisleading(terms, sources, ownScripts)
  const saving = meanings.map((meaning, entry) => {
    const term = terms[entry]!
    const isShort = meaning.length <= LONGEST_REUSED && !misleading.has(term)
    return isShort && tokenizer.countTokens(meaning) > tokenizer.countTokens(term) ? meaning : ''
  })
  return { entries, meanings, findTerm: createFinder(terms), findMeaning: createFinder(saving) }
}

/** @param texts by entry; an empty text is never found. The last one of equal texts is found. */
function createFinder(texts: readonly string[]): EntryFinder {
  const trie = createTrie(['', ...texts])
  return (text, at) => Math.max(0, matchTerm(trie, text, at, 0, true)) - 1
}

/** A body written for a prompt whose header already has terms. */
export interface RewrittenBody {
  readonly content: string
  /** The entries of the prompt whose terms the content uses. */
  readonly used: ReadonlySet<number>
}

/**
 * Writes a body so that the header of a prompt decodes it: a term of the prompt that occurs in the
 * body is escaped. With `blocked`, phrases that the prompt has terms for are replaced by these
 * terms.
 *
 * @param escape returns a term whose expansion is the term of this entry
 * @param blocked `[start, end)` pairs, ascending, that no replacement may overlap
 */
export function rewriteBody(
  body: string,
  { entries, meanings, findTerm, findMeaning }: PriorTerms,
  escape: (entry: number) => string,
  blocked: ArrayLike<number> | undefined,
): RewrittenBody {
  const used = new Set<number>()
  let content = ''
  let from = 0
  let range = 0
  for (let at = 0; at < body.length;) {
    let entry = blocked ? findMeaning(body, at) : -1
    let length = entry < 0 ? 0 : meanings[entry]!.length
    if (entry >= 0) {
      while (range < blocked!.length && blocked![range + 1]! <= at) range += 2
      const isBlocked = range < blocked!.length && blocked![range]! < at + length
      const before = at > from ? body.slice(at - 2 < from ? from : at - 2, at) : content.slice(-2)
      const { term } = entries[entry]!
      const fits =
        fitsBetween(term, before, body, at + length) && (!isWordTerm(term) || isProse(body, at, length))
      if (isBlocked || !fits) entry = -1
    }
    let written = entry < 0 ? '' : entries[entry]!.term
    if (entry >= 0) used.add(entry)
    else {
      entry = findTerm(body, at)
      if (entry >= 0) {
        length = entries[entry]!.term.length
        written = escape(entry)
      }
    }
    if (entry < 0) at++
    else {
      content += body.slice(from, at) + written
      at += length
      from = at
    }
  }
  return { content: content + body.slice(from), used }
}

/** Whether the text around a phrase is prose, in which acronyms stand (SPEC.md §8.6, T12). */
function isProse(text: string, at: number, length: number): boolean {
  return followsProse(text, at) && precedesProse(text, at + length)
}

/**
 * Whether no word letter (SPEC.md §4.1) would be next to a word letter at an edge of the term.
 */
function fitsBetween(term: string, before: string, text: string, end: number): boolean {
  const isFreeBefore = !before || !(classAt(term, 0) & classBefore(before, before.length) & WORD)
  return (
    isFreeBefore && (end === text.length || !(classBefore(term, term.length) & classAt(text, end) & WORD))
  )
}

/**
 * Chooses escapes for the terms of a header that occur literally in other texts: an entry of its
 * own whose expansion is the term. Escapes occur in no text. A word gets letters appended, so it
 * matches in the same positions; any other term gets a letter of a script without spaces, which
 * matches everywhere.
 *
 * @param own the scripts that supply no terms
 * @returns a function from the index of a term to its escape, always the same
 */
export function createEscapes(
  terms: readonly string[],
  texts: readonly string[],
  own: ReadonlySet<TermScript>,
): (entry: number) => string {
  const letters = listClearLetters(texts, own)
  const chosen = new Map<number, string>()
  let words: Set<string> | undefined

  function chooseWord(term: string): string | undefined {
    words ??= new Set(texts.flatMap((text) => [...readWords(text)]))
    for (let number = 0; number < 702; number++) {
      const word = term + (number < 26 ? '' : capital(number / 26 - 1)) + capital(number % 26)
      const last = [...readWords(word)].at(-1)!
      if (words.has(last) || isKnownWord(word)) continue
      words.add(last)
      return word
    }
    return undefined
  }

  return (entry) => {
    const term = terms[entry]!
    const escape = chosen.get(entry) ?? (isWordTerm(term) ? chooseWord(term) : letters.next().value)
    if (escape === undefined) {
      throw new CompressError(
        'term_collision',
        `No term is left for ${JSON.stringify(term)}, a term of the prompt that occurs in an added pack`,
        'Compose all packs again.',
      )
    }
    chosen.set(entry, escape)
    return escape
  }
}

function capital(number: number): string {
  return String.fromCharCode(65 + number)
}
