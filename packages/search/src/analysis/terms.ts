import { stemmer } from 'stemmer'

/** Longer parts of words, such as digests and encoded data, are truncated; in UTF-16 units. */
const MAX_PART = 32
/** Words with more parts get no term for the whole. */
const MAX_PARTS = 5
/** Longer katakana words get no term for the whole; in code points. */
const MAX_RUN = 16
/** Maximum number of words whose terms are cached, per scope. */
const MAX_CACHED = 50_000

/** English words that say little about a topic. They are indexed only in titles and headings. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about all also am an and any are as at be been being but by can could did do does doing done for from get gets got had has
  have having he her here him his how however i if in into is isnt it its itself just like may me might mine more most my no nor
  not of off on once only or other our out over own per please s same shall she should so some such t than that the their them
  then there these they this those through to too until up us very was we were what when where whether which while who whom whose
  why will with within without would you your dont doesnt cant im ive want need`
    .split(/\s+/)
    .flatMap((word) => [word, stemmer(word)]),
)

/** Letters that only Japanese has, and the term of texts with one, which no word can be. */
export const KANA: RegExp = /\p{sc=Hira}/v
export const KANA_TERM = 'script:kana'

/** Whether a term belongs to a stop word. */
export function isStopTerm(term: string): boolean {
  return STOP_WORDS.has(term)
}

/** A key by which a word is found. */
export interface Term {
  readonly text: string
  /** The folded word with this stem; `undefined` for a run. */
  readonly word: string | undefined
  /** `whole` combines parts, or is a katakana word; `letter` is a single Han character of a run. */
  readonly role: 'part' | 'whole' | 'letter'
}

/** How much of a pack a reader may see: all of it, or the preview. */
export type ReadingScope = 'full' | 'preview'

/**
 * Of terms that only readers of the full text may look up: pairs of characters overlap, so they
 * reveal the order of a text. No word starts with it.
 */
const FULL_MARK = '~'

const caches = { full: new Map<string, readonly Term[]>(), preview: new Map<string, readonly Term[]>() }

/**
 * Returns the terms that a word or run is found by: its parts and, if it has several, the whole
 * written as one. English words are reduced to their stems (Porter, "An algorithm for suffix
 * stripping", 1980). A run in a script without spaces has different terms for each scope: readers
 * of the full text find each pair of characters, preview readers whole words (UAX #29).
 */
export function deriveTerms(
  { text, kind }: Pick<Word, 'text' | 'kind'>,
  scope: ReadingScope,
): readonly Term[] {
  const cache = caches[scope]
  const known = cache.get(text)
  if (known !== undefined) return known
  const derive = kind === 'word' ? deriveWordTerms : scope === 'full' ? deriveRunTerms : segmentRun
  const terms = [...new Map(derive(text, kind).map((term) => [term.text, term])).values()]
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(text, terms)
  return terms
}

/** Whether only readers of the full text may look up a term. */
export function isFullTerm(term: string): boolean {
  return term.startsWith(FULL_MARK)
}

/** Returns the terms of a word or run for both scopes, as an index needs them. */
export function deriveAllTerms(word: Pick<Word, 'text' | 'kind'>): readonly Term[] {
  const terms = deriveTerms(word, 'full')
  return word.kind === 'word' ? terms : [...terms, ...deriveTerms(word, 'preview')]
}

function deriveWordTerms(text: string): Term[] {
  if (/^[a-zA-Z](?:\+\+|#)$/.test(text)) {
    const language = text.toLowerCase()
    return [{ text: language, word: language, role: 'part' }]
  }
  const segments = splitSegments(text).map(splitParts)
  const wholes = [...segments.flatMap(joinParts), ...joinParts(segments.flat())]
  return [
    ...segments.flat().map((word): Term => ({ text: stemWord(word), word, role: 'part' })),
    ...wholes.map((word): Term => ({ text: stemWord(word), word, role: 'whole' })),
  ]
}

/** None if there is only one part or the result is too long. */
function joinParts(parts: readonly string[]): string[] {
  if (parts.length < 2 || parts.length > MAX_PARTS) return []
  const isNumber = parts.every((part) => /^\p{N}+$/u.test(part))
  const whole = parts.join(isNumber ? '.' : '')
  return whole.length > MAX_PART ? [] : [whole]
}

/** A long vowel mark at the end of a Japanese word is optional: サーバー, サーバ. */
const FINAL_MARK = /(?<=.{3})ー$/

function deriveRunTerms(text: string, kind: WordKind): Term[] {
  const create = (term: string, role: Term['role']): Term => ({
    text: FULL_MARK + term,
    word: undefined,
    role,
  })
  const characters = Array.from(foldWord(text).replace(FINAL_MARK, ''))
  const [first] = characters
  if (characters.length === 1) return [create(first!, 'part')]
  const letters = kind === 'han' ? characters.map((letter) => create(letter, 'letter')) : []
  const pairs = characters.slice(1).map((character, at) => create(`${characters[at]}${character}`, 'part'))
  if (kind !== 'katakana' || characters.length < 3 || characters.length > MAX_RUN)
    return [...letters, ...pairs]
  return [...pairs, create(characters.join(''), 'whole')]
}

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

function segmentRun(text: string): Term[] {
  return Array.from(segmenter.segment(foldWord(text)), ({ segment }) => {
    const word = segment.replace(FINAL_MARK, '').slice(0, MAX_PART).toWellFormed()
    return { text: word, word: undefined, role: 'part' }
  })
}

/** Splits a word at connectors: `app.whenReady` into `app` and `whenReady`. */
function splitSegments(word: string): string[] {
  return word
    .replace(/['’](?:s(?=$|[^\p{L}\p{N}]))?/gu, '')
    .split(/[._:-]+/u)
    .filter((segment) => segment !== '')
}

/** Splits a segment before capitals: `whenReady` into `when` and `ready`. */
function splitParts(segment: string): string[] {
  return segment
    .replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, '$1 ')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .split(' ')
    .map((part) => foldWord(part).slice(0, MAX_PART).toWellFormed())
}

/** Returns a word in lower case and compatibility form, without accents. */
export function foldWord(word: string): string {
  if (/^[\0-\x7f]*$/.test(word)) return word.toLowerCase()
  return word
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replaceAll('ς', 'σ')
}

/** Returns a text as folded words separated by single spaces. */
export function foldText(text: string): string {
  return foldWord(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Maximum number of words that are kept of a term. */
const MAX_WORDS = 8

/** Merges the words of a term, separated by blanks: the shorter first, then by code unit. */
export function mergeWords(words: string, others: string): string {
  if (others === '' || words === others || ` ${words} `.includes(` ${others} `)) return words
  if (words === '' && !others.includes(' ')) return others
  const compare = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1)
  const all = new Set([...words.split(' '), ...others.split(' ')].filter((word) => word !== ''))
  return [...all].toSorted(compare).slice(0, MAX_WORDS).join(' ')
}

/** Returns the stem of a folded word. Only words of English letters have one. */
export function stemWord(folded: string): string {
  return /^[a-z]{3,}$/.test(folded) ? stemmer(folded) : folded
}

/**
 * A word of a script with spaces, or a run of letters of one without. Katakana is mostly used for
 * foreign words; `other` is hiragana, hangul, Thai, Lao, Khmer or Burmese.
 */
export type WordKind = 'word' | 'katakana' | 'han' | 'other'

/** A word or a run, with UTF-16 offsets. */
export interface Word {
  readonly text: string
  readonly kind: WordKind
  readonly start: number
  readonly end: number
}

/**
 * Matches the words and runs of a text.
 *
 *     word     = letter ("++" | "#") | part (connector{1,2} part)*     `C#`, `no-cache`,
 * `app.whenReady`, `std::io`
 *     part     = (letter | digit | mark | "_")+
 *     run      = katakana+ | han+ | other+
 *
 * Longer words and runs are split, after 10,000 characters of a part or run and after 100
 * connectors, because the regular expression engine fails if one match takes too many steps.
 */
const PATTERN = createPattern()

function createPattern(): RegExp {
  const most = '{1,10000}'
  const unspaced = String.raw`\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}`
  const letters = String.raw`[\p{L}\p{N}\p{M}_]`
  const language = String.raw`(?<![\p{L}\p{N}])[a-zA-Z](?:\+\+|#)(?![\p{L}\p{N}])`
  const part = `[${letters}--[${unspaced}]]${most}`
  const katakana = String.raw`[[\p{scx=Kana}&&[\p{L}\p{M}]]--[\p{sc=Hani}\p{sc=Hira}]]${most}`
  const other = String.raw`[[[${unspaced}]&&${letters}]--[\p{sc=Hani}\p{sc=Kana}]]${most}`
  return new RegExp(
    String.raw`(${language}|${part}(?:['’.:\-]{1,2}${part}){0,100})|(${katakana})|(\p{sc=Hani}${most})|${other}`,
    'gv',
  )
}

/** Visits words and runs in order, but not the numbers of links `[text](7)`. Linear time. */
export function visitWords(text: string, visit: (word: Word) => void): void {
  for (const match of text.matchAll(PATTERN)) {
    const [found, word, katakana, han] = match
    const isInLink = text.startsWith('](', match.index - 2) && text[match.index + found.length] === ')'
    if (isInLink && /^\d{1,7}$/.test(found)) continue
    const kind =
      word !== undefined ? 'word' : katakana !== undefined ? 'katakana' : han !== undefined ? 'han' : 'other'
    visit({ text: found, kind, start: match.index, end: match.index + found.length })
  }
}
