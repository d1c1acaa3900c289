import { splitSections, type Section } from '@packs/codec/sections'
import {
  indexTexts,
  search,
  type SearchHit,
  type SectionHit,
  type SearchPage,
  type SearchQuery,
  type SearchStore,
  type TextPack,
  type FoundSection,
  createMemoryStore,
  foldWord,
} from '@packs/search'
import type { OpenedPack } from '../input/read-pack.ts'
import type { Pack } from '@packs/codec/pack'
import type { Tokenizer, TokenizerName } from '@packs/codec/tokens'

export interface PackSearch extends SearchPage {
  readonly packOf: (hit: SearchHit) => OpenedPack
  /** Returns the text of a hit: its section, or the whole body. */
  readonly textOf: (hit: SearchHit) => string
}

/** A pack with the sections that take part in a search. */
interface Candidate extends OpenedPack {
  readonly number: number
  readonly sections: readonly Section[]
}

/**
 * Searches packs. Only sections that may contain a word of the query are indexed, because indexing
 * is most of the work. All are indexed if a word is unknown: it may be misspelled, and any word of
 * any pack may be meant.
 *
 * @throws RangeError for a query without text or over 400 code points
 * @example
 * const { hits } = await searchPacks(packs, { text: 'set a key expiration', limit: 10, offset: 0 })
 */
export async function searchPacks(packs: readonly OpenedPack[], query: SearchQuery): Promise<PackSearch> {
  const terms = await listQueryTerms(query)
  const chosen = chooseCandidates(packs, terms)
  const length = packs.reduce((sum, { body }) => sum + body.length, 0)
  const read = chosen
    .flatMap(({ sections }) => sections)
    .reduce((sum, { start, end }) => sum + end - start, 0)
  try {
    return await searchCandidates(chosen, query, (store) => limitStore(store, terms, read / length || 1))
  } catch (error) {
    if (!(error instanceof UnknownTermError)) throw error
  }
  const all = packs.map((opened, number) => ({ ...opened, number, sections: splitSections(opened.body) }))
  return searchCandidates(all, query, (store) => store)
}

function chooseCandidates(packs: readonly OpenedPack[], terms: ReadonlySet<string>): Candidate[] {
  const mayMatch = createTermFinder(terms)
  return packs.flatMap((opened, number): Candidate | [] => {
    const { pack, body } = opened
    const { slug, title, description = '', tags = [] } = pack
    const isNamed = mayMatch([slug, title, description, ...tags].join('\n'))
    if (!isNamed && !mayMatch(body)) return []
    const sections = splitSections(body).filter(
      ({ path, start, end }) => isNamed || mayMatch(`${path.join('\n')}\n${body.slice(start, end)}`),
    )
    return { ...opened, number, sections }
  })
}

async function searchCandidates(
  candidates: readonly Candidate[],
  query: SearchQuery,
  adapt: (store: SearchStore) => SearchStore,
): Promise<PackSearch> {
  const byNumber = new Map(candidates.map((candidate) => [candidate.number, candidate]))
  const packOf = ({ pack }: SearchHit): Candidate => byNumber.get(pack.number)!
  const packs: TextPack[] = []
  for (const { number, pack, body, sections } of candidates) {
    const counted = await countSections(pack, body, sections, query.maxTokens)
    packs.push({ pack: { ...pack, number, sequence: number, sections: counted }, body })
  }
  const { store, texts } = indexTexts(packs)
  const page = await search(adapt(store), texts, query)
  return {
    ...page,
    hits: await countHits(page.hits, packOf),
    packOf,
    textOf(hit) {
      const { body, sections } = packOf(hit)
      const section = sections.find(({ id }) => id === hit.section?.id)
      return section === undefined ? body : body.slice(section.start, section.end)
    },
  }
}

class UnknownTermError extends Error {
  override readonly name = 'UnknownTermError'
}

/**
 * Makes a store of some sections answer as one of all would, or fail. Totals are estimated from the
 * length of the texts.
 *
 * @param share how much of all text the sections have
 */
function limitStore(store: SearchStore, terms: ReadonlySet<string>, share: number): SearchStore {
  return {
    ...store,
    async readTotals() {
      const { sections, words } = await store.readTotals()
      return { sections: Math.round(sections / share), words: Math.round(words / share) }
    },
    findTerms: (texts) =>
      texts.every((text) => terms.has(text))
        ? store.findTerms(texts)
        : Promise.reject(new UnknownTermError()),
    listTerms: () => Promise.reject(new UnknownTermError()),
  }
}

/**
 * Adds token counts to sections, as far as a search with a limit needs them: 0 for those certainly
 * within it. A token has at least one byte. The tokenizer is loaded only if something is counted.
 *
 * @param most maximum tokens of a section; undefined for no limit
 */
async function countSections(
  { tokenizer: name }: Pack,
  body: string,
  sections: readonly Section[],
  most: number | undefined,
): Promise<readonly (Section & FoundSection)[]> {
  return Promise.all(
    sections.map(async (section) => {
      const text = body.slice(section.start, section.end)
      const isSmall = most === undefined || Buffer.byteLength(text) <= most
      return { ...section, tokens: isSmall ? 0 : (await loadTokenizer(name)).countTokens(text) }
    }),
  )
}

async function countHits(
  hits: readonly SearchHit[],
  packOf: (hit: SearchHit) => Candidate,
): Promise<readonly SearchHit[]> {
  const countHit = async (hit: SearchHit): Promise<SearchHit> => {
    const { pack, body, sections } = packOf(hit)
    if ([hit, ...hit.also].every(({ section }) => section === null)) return hit
    const tokenizer = await loadTokenizer(pack.tokenizer)
    const count = <Found extends SectionHit>(found: Found): Found => {
      const section = sections.find(({ id }) => id === found.section?.id)
      if (section === undefined) return { ...found, section: null }
      const { id, title, path, start, end } = section
      return { ...found, section: { id, title, path, tokens: tokenizer.countTokens(body.slice(start, end)) } }
    }
    return { ...count(hit), also: hit.also.map(count) }
  }
  return Promise.all(hits.map(countHit))
}

/** Its modules are not loaded before something is counted. */
async function loadTokenizer(name: TokenizerName): Promise<Tokenizer> {
  const { loadTokenizer: load } = await import('../user-cache/load-tokenizer.ts')
  return load(name)
}

/**
 * Returns the terms that a search for a query looks up, with synonyms: the terms of an index
 * without synonyms.
 */
export async function listQueryTerms(query: SearchQuery): Promise<ReadonlySet<string>> {
  let first: readonly string[] | undefined
  const store: SearchStore = {
    ...createMemoryStore([]),
    findTerms(texts) {
      first ??= texts
      return Promise.resolve([])
    },
  }
  await search(store, { match: () => Promise.resolve([]), read: () => Promise.resolve(new Map()) }, query)
  return new Set(first)
}

/**
 * Shorter terms are searched for at the beginning of words only, since most texts contain them
 * somewhere.
 */
const MIN_INNER = 4

/**
 * Creates a function that returns true for every text with one of the terms, and for some others:
 * it searches for the terms in the letters of the text instead of its words, which takes a fraction
 * of the time.
 */
export function createTermFinder(terms: ReadonlySet<string>): (text: string) => boolean {
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

/**
 * A stem is the beginning of all its words, except for such endings: `happi`, `size`, `readabl` for
 * readability.
 */
function cutTerm(term: string): string {
  return /^[a-z]{2,}[iel]$/.test(term) ? term.slice(0, -1) : joinWords(foldWord(term))
}

/**
 * Joins the parts of words such as `no-cache`, which also have a term for the whole word. Pairs of
 * characters begin with a marker.
 */
function joinWords(folded: string): string {
  return folded.replace(/[._:'’~-]+/g, '')
}
