import {
  deriveAllTerms,
  deriveTerms,
  foldText,
  isStopTerm,
  KANA,
  KANA_TERM,
  mergeWords,
  type Term,
  visitWords,
  type WordKind,
} from '../analysis/terms.ts'
import { MAX_USES, type Occurrence } from './vector.ts'

/** The searchable fields of a pack. */
export interface SearchedPack {
  readonly slug: string
  readonly title: string
  readonly description?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly domain_slug: string
  readonly difficulty: string
  readonly token_count: number
  readonly rosetta_tokens: number
}

/** The searchable fields of a section. */
export interface SearchedSection {
  readonly title: string
  readonly path: readonly string[]
  readonly start: number
  readonly end: number
  readonly tokens: number
}

/** An entry of the index: a section, or a pack as a whole. */
export interface Entry {
  /** Index of the section; -1 for the pack. */
  readonly ordinal: number
  /** Tokens of the section, or of the pack's content and header. */
  readonly tokens: number
  /** Number of words of the text. */
  readonly length: number
  readonly terms: ReadonlyMap<string, Occurrence>
  /** Terms that no text has: of filters, of its whole title or heading, and of words of a title. */
  readonly filters: readonly string[]
}

/** A pack as stored in the index. */
export interface DescribedPack {
  readonly entries: readonly Entry[]
  /** The words of each term, as `mergeWords` writes them. */
  readonly words: ReadonlyMap<string, string>
}

/** Whether a section counts as containing a term. The title of its pack alone is not enough. */
export function isSectionTerm({ uses, inHeading, inPath }: Occurrence): boolean {
  return uses > 0 || inHeading || inPath
}

/** Returns terms to filter by. No text has them, because words contain no such colon. */
export function filterTerms({
  domain,
  difficulty,
}: {
  readonly domain?: string | undefined
  readonly difficulty?: string | undefined
}): string[] {
  return [
    ...(domain === undefined ? [] : [`domain:${domain}`]),
    ...(difficulty === undefined ? [] : [`difficulty:${difficulty}`]),
  ]
}

/**
 * Returns the term of a whole title or slug (`pack`) or heading (`section`). It has a hash of 20
 * bits (FNV-1a), so that the index has a bounded number of them.
 */
export function nameTerm(kind: 'pack' | 'section', name: string): string {
  let hash = 0x811c9dc5
  for (const character of foldText(name)) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
  return `${kind}:${((hash ^ (hash >>> 20)) & 0xfffff).toString(36)}`
}

/** Prefix of terms of titles. No word starts with it, because words contain no such colon. */
const TITLE_MARK = 'title:'

/** A word that a title must have: one of its terms, or one that starts with `prefix`. */
export interface TitleWord {
  readonly term: string
  /** `undefined` for a part of a run, in a script without spaces. */
  readonly prefix: string | undefined
}

/** Lists the words of a search by title. */
export function listTitleWords(text: string): readonly TitleWord[] {
  const words = new Map<string, TitleWord>()
  visitWords(text, (found) => {
    for (const { text: term, word, role } of deriveTerms(found, 'full'))
      if (role === 'part')
        words.set(term, {
          term: TITLE_MARK + term,
          prefix: word === undefined ? undefined : TITLE_MARK + word,
        })
  })
  return [...words.values()]
}

type Mutable = { -readonly [Key in keyof Occurrence]: Occurrence[Key] }
type Field = 'uses' | 'inHeading' | 'inPath' | 'inTitle'

class EntryTerms {
  readonly terms = new Map<string, Mutable>()
  length = 0

  add(term: string, field: Field, uses = 1): void {
    let found = this.terms.get(term)
    if (found === undefined) {
      found = { uses: 0, inHeading: false, inPath: false, inTitle: false }
      this.terms.set(term, found)
    }
    if (field === 'uses') found.uses = Math.min(MAX_USES, found.uses + uses)
    else found[field] = true
  }
}

/**
 * One entry for each section and one for the pack as a whole.
 * @param body The decoded content, which the sections divide.
 */
export function describePack(
  pack: SearchedPack,
  body: string,
  sections: readonly SearchedSection[],
): DescribedPack {
  const words = new Map<string, string>()
  const readWord = createWordReader(words)
  const whole = new EntryTerms()
  const titleTerms = new Set([...readTerms(pack.title, words), ...readTerms(pack.slug, words)])
  if (KANA.test(pack.title)) titleTerms.add(KANA_TERM)
  const filters = filterTerms({ domain: pack.domain_slug, difficulty: pack.difficulty })
  const entries = sections.map((section, ordinal) => {
    const entry = new EntryTerms()
    for (const term of titleTerms) entry.add(term, 'inTitle')
    for (const heading of section.path.slice(0, -1))
      for (const term of readTerms(heading, words)) entry.add(term, 'inPath')
    for (const term of readTerms(section.title, words)) {
      entry.add(term, 'inHeading')
      whole.add(term, 'inHeading')
    }
    entry.length = countTerms(body.slice(section.start, section.end), readWord, (term, uses) => {
      entry.add(term, 'uses', uses)
      whole.add(term, 'uses', uses)
    })
    if (KANA.test(body.slice(section.start, section.end))) {
      entry.add(KANA_TERM, 'uses', MAX_USES)
      whole.add(KANA_TERM, 'uses', MAX_USES)
    }
    whole.length += entry.length
    const own = [...filters, nameTerm('section', section.title)]
    return { ordinal, tokens: section.tokens, length: entry.length, terms: entry.terms, filters: own }
  })
  for (const term of titleTerms) whole.add(term, 'inTitle')
  for (const text of [pack.description ?? '', ...(pack.tags ?? [])])
    for (const term of readTerms(text, words)) whole.add(term, 'inPath')
  return {
    entries: [
      {
        ordinal: -1,
        tokens: pack.token_count + pack.rosetta_tokens,
        length: whole.length,
        // Stores number terms in this order, and break ties by number. In text order, results would reveal
        // text that a reader may not see.
        terms: new Map([...whole.terms.keys()].toSorted().map((term) => [term, whole.terms.get(term)!])),
        filters: [
          ...filters,
          ...new Set([pack.title, pack.slug].map((name) => nameTerm('pack', name))),
          ...Array.from(readTerms(pack.title, new Map()), (term) => TITLE_MARK + term),
        ],
      },
      ...entries,
    ],
    words,
  }
}

function readTerms(text: string, words: Map<string, string>): Set<string> {
  const terms = new Set<string>()
  visitWords(text, (word) => {
    for (const term of deriveAllTerms(word)) {
      terms.add(term.text)
      rememberWord(term, words)
    }
  })
  return terms
}

type WordReader = (text: string, kind: WordKind) => readonly string[]

/** Returns a function that derives the meaningful terms of each word of a pack once. */
function createWordReader(words: Map<string, string>): WordReader {
  const known = new Map<string, readonly string[]>()
  return (text, kind) => {
    let terms = known.get(text)
    if (terms !== undefined) return terms
    const derived = deriveAllTerms({ text, kind }).filter((term) => !isStopTerm(term.text))
    for (const term of derived) rememberWord(term, words)
    known.set(text, (terms = derived.map((term) => term.text)))
    return terms
  }
}

/** Calls `add` for the terms of each word of a text. Returns the number of words. */
function countTerms(text: string, readWord: WordReader, add: (term: string, uses: number) => void): number {
  const counts = new Map<readonly string[], number>()
  let length = 0
  visitWords(text, ({ text: word, kind }) => {
    const terms = readWord(word, kind)
    if (terms.length === 0) return
    length += kind === 'word' ? 1 : word.length
    counts.set(terms, (counts.get(terms) ?? 0) + 1)
  })
  for (const [terms, uses] of counts) for (const term of terms) add(term, uses)
  return length
}

function rememberWord({ text, word }: Term, words: Map<string, string>): void {
  if (word === undefined) return
  words.set(text, mergeWords(words.get(text) ?? '', word))
}
