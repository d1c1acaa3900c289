import { splitSections } from '@packs/codec/sections'
import {
  createMemoryStore,
  describePack,
  matchText,
  search,
  type FoundPack,
  type SearchPage,
  type SearchQuery,
} from '@packs/search'

/** A pack to search. */
export interface TestPack {
  readonly slug: string
  readonly title: string
  readonly body: string
  readonly domain?: string
  readonly tags?: readonly string[]
  /** Offset up to which the reader may see the body. @default all */
  readonly visible?: number
}

/** Searches packs in memory. A token is four UTF-16 units here. */
export function createSearch(
  packs: readonly TestPack[],
): (text: string, options?: Partial<SearchQuery>) => Promise<SearchPage> {
  const described = packs.map(({ slug, title, body, domain = 'tests', tags }, index) => {
    const sections = splitSections(body).map((section) => {
      return { ...section, tokens: Math.ceil((section.end - section.start) / 4) }
    })
    const pack: FoundPack = {
      number: index + 1,
      sequence: index + 1,
      id: `pk_${index}`,
      slug,
      title,
      version: '1.0.0',
      domain_slug: domain,
      difficulty: 'beginner',
      token_count: Math.ceil(body.length / 4),
      rosetta_tokens: 1,
      uncompressed_estimate: Math.ceil(body.length / 4),
      sections,
    }
    return { pack, sections, described: describePack({ ...pack, tags }, body, sections) }
  })
  const store = createMemoryStore(described)
  const scope = packs.some(({ visible }) => visible !== undefined) ? 'preview' : 'full'
  return (text, options) =>
    search(
      store,
      {
        match({ number }, request) {
          const { body, title, visible = body.length } = packs[number - 1]!
          const { sections } = described[number - 1]!
          return Promise.resolve(matchText({ title, body, sections, visible }, request))
        },
      },
      { text, limit: 10, offset: 0, scope, ...options },
    )
}

/** Names a hit: `slug` for a pack, `slug#section` for a section. */
export function nameHits({ hits }: SearchPage): string[] {
  return hits.map(({ pack, section }) => (section === null ? pack.slug : `${pack.slug}#${section.id}`))
}
