import { splitSections, type Section } from '@packs/codec/sections'
import {
  indexTexts,
  search,
  type SearchHit,
  type SearchPage,
  type SearchQuery,
  type SearchStore,
  type TextPack,
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
interface Candidate extends OpenedPack {
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
 * Makes a store of some sections answer as one of all would, or fail. The totals are estimated from the length of the texts.
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
