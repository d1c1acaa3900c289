import { type LinkedText, splitSections } from '@packs/codec/internal'
import {
  composeContext,
  type Context,
  type ContextOptions,
  describePack,
  matchText,
  openIndex,
  search,
  type FoundPack,
  type SearchPage,
  type SearchQuery,
  type SearchStore,
  type TextReader,
} from '@packs/search'
import { type IndexedPack, writeIndex } from '../src/write-index.ts'

/** A pack to search. */
export interface TestPack {
  readonly slug: string
  readonly title: string
  readonly body: string
  readonly links?: readonly string[]
  readonly domain?: string
  readonly url?: string
  readonly tags?: readonly string[]
  /** Offset up to which the reader may see the body. @default all */
  readonly visible?: number
}

/** Counts a token for every four UTF-16 units. */
export const measure = (text: string): number => Math.ceil(text.length / 4)

interface TestIndex {
  readonly store: SearchStore
  readonly texts: TextReader
  readonly scope: 'full' | 'preview'
}

/** Searches packs in memory. */
export function createSearch(
  packs: readonly TestPack[],
): (text: string, options?: Partial<SearchQuery>) => Promise<SearchPage> {
  const { store, texts, scope } = indexPacks(packs)
  return (text, options) => search(store, texts, { text, limit: 10, offset: 0, scope, ...options })
}

/** Composes contexts of packs in memory. */
export function createComposer(
  packs: readonly TestPack[],
): (question: string, options?: Partial<ContextOptions>) => Promise<Context> {
  const { store, texts, scope } = indexPacks(packs)
  return (question, options) =>
    composeContext(question, { budget: 2000, measure, scope, ...options }, store, texts)
}

/** Creates a store of packs in memory, in the order to index them. */
export function createMemoryStore(packs: readonly IndexedPack[]): SearchStore {
  return openIndex(writeIndex(packs)).store
}

/** The text of a pack whose body is in memory. */
function describeBody(body: string) {
  return { length: body.length, slice: (start: number, end: number) => body.slice(start, end) }
}

function indexPacks(packs: readonly TestPack[]): TestIndex {
  const described = packs.map(({ slug, title, body, domain = 'tests', tags, url }, index) => {
    const sections = splitSections(body).map((section) => {
      return { ...section, tokens: measure(body.slice(section.start, section.end)) }
    })
    const pack: FoundPack = {
      number: index + 1,
      sequence: index + 1,
      id: `pk_${index}`,
      slug,
      title,
      version: '1.0.0',
      pack_digest: '',
      domain_slug: domain,
      ...(url !== undefined && { url }),
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
  const texts: TextReader = {
    match({ number }, request) {
      const { body, title, visible = body.length } = packs[number - 1]!
      const { sections } = described[number - 1]!
      return Promise.resolve(matchText({ title, ...describeBody(body), sections, visible }, request))
    },
    read({ number }, ordinals) {
      const { body, links = [], slug: page, visible = body.length } = packs[number - 1]!
      const { sections } = described[number - 1]!
      const open = ordinals.filter((ordinal) => sections[ordinal]!.end <= visible)
      const read = open.map((ordinal): [number, LinkedText] => {
        const { start, end } = sections[ordinal]!
        return [ordinal, { text: body.slice(start, end), links, page }]
      })
      return Promise.resolve(new Map(read))
    },
  }
  return { store, texts, scope }
}

/** Names a hit: `slug` for a pack, `slug#section` for a section. */
export function nameHits({ hits }: SearchPage): string[] {
  return hits.map(({ pack, section }) => (section === null ? pack.slug : `${pack.slug}#${section.id}`))
}
