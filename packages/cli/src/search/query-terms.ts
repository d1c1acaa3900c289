import { createMemoryStore, foldWord, search, type SearchQuery, type SearchStore } from '@packs/search'

/** Returns the terms that a search for a query looks up, with synonyms. They are those of an index without any. */
export async function listQueryTerms(query: SearchQuery): Promise<ReadonlySet<string>> {
  let first: readonly string[] | undefined
  const store: SearchStore = {
    ...createMemoryStore([]),
    findTerms(texts) {
      first ??= texts
      return Promise.resolve([])
    },
  }
  await search(store, { match: () => Promise.resolve([]) }, query)
  return new Set(first)
}

/** Tells whether a text may have one of some terms. */
export type TermFinder = (text: string) => boolean

/** Shorter terms are looked for at the beginning of words only, since most texts have them somewhere. */
const MIN_INNER = 4

/**
 * Creates a function that says yes for every text that has one of the terms, and for some others: it looks for the terms in the
 * letters of the text instead of its words, which takes a fraction of the time.
 */
export function createTermFinder(terms: ReadonlySet<string>): TermFinder {
  const cut = [...terms].map(cutTerm)
  const [short, long] = [cut.filter(isShort), cut.filter((term) => !isShort(term))]
  const starts = new RegExp(`(?<![a-z])(?:${short.join('|')})`)
  const capitals = new RegExp(short.map(writeCapital).join('|'))
  return (text) => {
    const folded = foldWord(text)
    const joined = joinWords(folded)
    if (long.some((term) => joined.includes(term))) return true
    return short.length > 0 && (starts.test(folded) || starts.test(joined) || capitals.test(text))
  }
}

function isShort(term: string): boolean {
  return term.length < MIN_INNER && /^[a-z]+$/.test(term)
}

/** Inside of a word, a part begins with a capital. */
function writeCapital(term: string): string {
  const rest = Array.from(term.slice(1), (letter) => `[${letter}${letter.toUpperCase()}]`)
  return `${term[0]!.toUpperCase()}${rest.join('')}`
}

/** A stem is the beginning of all its words, except for such ends: `happi`, `size`, `readabl` for readability. */
function cutTerm(term: string): string {
  return /^[a-z]{2,}[iel]$/.test(term) ? term.slice(0, -1) : joinWords(foldWord(term))
}

/** Joins the parts of words such as `no-cache`, since they have a term for the whole too. Pairs of characters begin with a mark. */
function joinWords(folded: string): string {
  return folded.replace(/[._:'’~-]+/g, '')
}
