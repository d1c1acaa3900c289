import {
  visitWords,
  type Word,
  type WordKind,
  deriveTerms,
  isStopTerm,
  KANA,
  KANA_TERM,
  stemWord,
  type ReadingScope,
} from '../analysis/terms.ts'

/** An entry contains it if it has the term of a whole, or the terms of all parts. */
export interface QueryWord {
  readonly text: string
  readonly kind: WordKind
  /** Offset in the query, in UTF-16 units. */
  readonly start: number
  readonly end: number
  /** Terms of its meaningful parts; for a run, of its pairs of characters or its words. */
  readonly parts: readonly string[]
  /** Terms of several parts together. */
  readonly wholes: readonly string[]
}

/** A query as words. */
export interface ParsedQuery {
  readonly text: string
  /** Meaningful words; all words if none is meaningful. */
  readonly words: readonly QueryWord[]
  /** Texts in quotation marks, which must occur verbatim. */
  readonly phrases: readonly string[]
  /** Terms of adjacent words written as one, such as `websocket` for `web socket`. */
  readonly joined: readonly string[]
  /** The reader for whom terms are looked up. */
  readonly scope: ReadingScope
}

/** A word of every Japanese section: a question in Japanese asks for a text in Japanese. */
const kanaWord: QueryWord = { text: '', kind: 'other', start: 0, end: 0, parts: [KANA_TERM], wholes: [] }

/** Longest query, in code points. */
export const MAX_QUERY = 400
/** Maximum number of phrases in a query. Each is searched in the texts of many sections. */
export const MAX_PHRASES = 4
/** Further words of a query are ignored. */
const MAX_WORDS = 40
/** Maximum number of adjacent words to try as one word. */
const MAX_JOINED = 3

/** Parses a query. Pairs of quotation marks are the only operator. */
export function parseQuery(text: string, scope: ReadingScope): ParsedQuery {
  const phrases = listPhrases(text)
  const all: QueryWord[] = []
  visitWords(text, (word) => {
    if (all.length < MAX_WORDS) all.push({ ...word, ...divideTerms(word, scope) })
  })
  const telling = all.filter((word) => !isFiller(word))
  const words = telling.length > 0 ? telling : all
  const joined = joinAdjacent(all)
  return { text, words: KANA.test(text) ? [...words, kanaWord] : words, phrases, joined, scope }
}

/** Returns the texts in quotation marks that contain a word. */
export function listPhrases(text: string): string[] {
  return [...text.matchAll(/"([^"]+)"|“([^“”]+)”/g)]
    .map((match) => (match[1] ?? match[2] ?? '').trim())
    .filter((phrase) => /[\p{L}\p{N}]/u.test(phrase))
}

/** @throws RangeError without text, or beyond 400 code points or four phrases */
export function checkQuery(text: string): void {
  if (text.trim() === '' || Array.from(text).length > MAX_QUERY || listPhrases(text).length > MAX_PHRASES)
    throw new RangeError(
      `A query has 1 to ${MAX_QUERY} code points and at most ${MAX_PHRASES} quoted phrases`,
    )
}

function divideTerms(word: Word, scope: ReadingScope): Pick<QueryWord, 'parts' | 'wholes'> {
  const terms = deriveTerms(word, scope)
  const all = terms.filter(({ role }) => role === 'part').map(({ text }) => text)
  const telling = all.filter((term) => !isStopTerm(term))
  const wholes = terms.filter(({ role }) => role === 'whole').map(({ text }) => text)
  return { parts: telling.length > 0 ? telling : all, wholes }
}

/** Hiragana between other words is grammar. */
function isFiller({ text, kind, parts, wholes }: QueryWord): boolean {
  if (kind === 'other') return /^\p{sc=Hira}/v.test(text)
  return wholes.length === 0 && parts.every(isStopTerm)
}

function joinAdjacent(words: readonly QueryWord[]): string[] {
  const joined = new Set<string>()
  for (let size = 2; size <= MAX_JOINED; size++) {
    for (let at = 0; at + size <= words.length; at++) {
      const group = words.slice(at, at + size).map(({ text }) => text.toLowerCase())
      const whole = group.join('')
      if (group.every((word) => /^[a-z0-9]+$/.test(word)) && whole.length <= 32) joined.add(stemWord(whole))
    }
  }
  return [...joined]
}
