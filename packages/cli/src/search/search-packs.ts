import { splitSections, type Section } from '@packs/codec/sections'
import {
  createMemoryStore,
  describePack,
  matchText,
  search,
  type DescribedPack,
  type IndexedPack,
  type SearchHit,
  type SearchPage,
  type SearchQuery,
  type SearchStore,
  type TextReader,
} from '@packs/search'
import { countHits, countSections } from './count-sections.ts'
import type { OpenedPack } from '../input/open-packs.ts'
import { createTermFinder, listQueryTerms } from './query-terms.ts'

/** A page of hits in packs. */
export interface PackSearch extends SearchPage {
  /** Returns the pack of a hit. */
  readonly packOf: (hit: SearchHit) => OpenedPack
  /** Returns the text of a hit: its section, or the whole body. */
  readonly textOf: (hit: SearchHit) => string
}

/** A pack with the sections that take part in a search. */
export interface Candidate extends OpenedPack {
  readonly number: number
  readonly sections: readonly Section[]
}

/**
 * Searches packs. Only sections that may have a word of the query are indexed, because that is most of the work. All are indexed if
 * a word is unknown: it may be misspelt, and any word of any pack may be meant.
 *
 * @throws RangeError for a query without text or over 400 code points
 * @example
 * const { hits } = await searchPacks(packs, { text: 'set a key expiration', limit: 10, offset: 0 })
 */
export async function searchPacks(packs: readonly OpenedPack[], query: SearchQuery): Promise<PackSearch> {
  const terms = await listQueryTerms(query)
  const found = await searchCandidates(chooseCandidates(packs, terms), query, {
    terms,
    length: packs.reduce((sum, { body }) => sum + body.length, 0),
  })
  if (found !== undefined) return found
  const all = packs.map((opened, number) => ({ ...opened, number, sections: splitSections(opened.body) }))
  return (await searchCandidates(all, query, undefined))!
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

/** How candidates were chosen. */
interface Choice {
  readonly terms: ReadonlySet<string>
  /** Length of all texts, in UTF-16 units. */
  readonly length: number
}

/** Returns undefined if the search needs a term by which the candidates were not chosen. */
async function searchCandidates(
  candidates: readonly Candidate[],
  query: SearchQuery,
  choice: Choice | undefined,
): Promise<PackSearch | undefined> {
  const byNumber = new Map(candidates.map((candidate) => [candidate.number, candidate]))
  const candidateOf = ({ pack }: SearchHit): Candidate => byNumber.get(pack.number)!
  const indexed: IndexedPack[] = []
  for (const candidate of candidates) indexed.push(await indexCandidate(candidate, query.maxTokens))
  const store = createMemoryStore(indexed)
  const isChosen = choice !== undefined
  const searched = isChosen ? limitStore(store, choice.terms, measureShare(candidates, choice)) : store
  try {
    const page = await search(searched, createTextReader(byNumber), query)
    return {
      ...page,
      hits: await countHits(page.hits, candidateOf),
      packOf: candidateOf,
      textOf: (hit) => readHit(candidateOf(hit), hit),
    }
  } catch (error) {
    if (error instanceof UnknownTermError) return undefined
    throw error
  }
}

function measureText(sections: readonly Section[]): number {
  return sections.reduce((sum, { start, end }) => sum + end - start, 0)
}

function measureShare(candidates: readonly Candidate[], { length }: Choice): number {
  const part = candidates.reduce((sum, { sections }) => sum + measureText(sections), 0)
  return part === 0 ? 1 : part / length
}

async function indexCandidate(
  { number, pack, body, sections }: Candidate,
  maxTokens: number | undefined,
): Promise<IndexedPack> {
  const counted = await countSections(pack, body, sections, maxTokens)
  const described = describePack(pack, body, counted)
  return {
    pack: { ...pack, number, sequence: number, sections: counted },
    described: estimateLength(described, body.length / Math.max(1, measureText(sections))),
  }
}

/** The entry of the whole pack has the length of all its sections, also of those that were not chosen. */
function estimateLength({ entries, ...described }: DescribedPack, factor: number): DescribedPack {
  const scaled = entries.map((entry) =>
    entry.ordinal < 0 ? { ...entry, length: Math.round(factor * entry.length) } : entry,
  )
  return { ...described, entries: scaled }
}

class UnknownTermError extends Error {
  override readonly name = 'UnknownTermError'
}

/** Makes a store of some sections answer as one of all would, or fail. The totals are estimated from the length of the texts. */
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

function createTextReader(candidates: ReadonlyMap<number, Candidate>): TextReader {
  return {
    match({ number, title }, request) {
      const { body, sections } = candidates.get(number)!
      return Promise.resolve(matchText({ title, body, sections, visible: body.length }, request))
    },
  }
}

function readHit({ body, sections }: Candidate, hit: SearchHit): string {
  const section = sections.find(({ id }) => id === hit.section?.id)
  return section === undefined ? body : body.slice(section.start, section.end)
}
