import type { NewVersion } from '@packs/catalog'
import { loadTokenizer } from '@packs/codec/compress'
import { splitSections } from '@packs/codec/internal'
import { outlineSections } from '@packs/codec/sections'
import {
  composeContext,
  type Context,
  type ContextOptions,
  describePack,
  search,
  type SearchPage,
  type SearchQuery,
  type SearchStore,
  type TextReader,
} from '@packs/search'
import { createMemoryStore } from '../../search/test/make-store.ts'
import { makeVersion } from '../../test-kit/test/make-version.ts'

const SUBJECTS = ['Redis', 'TypeScript', 'Postgres', 'nginx', 'リアクティブ', 'Kubernetes'] as const
const TOPICS = [
  'Persistence and snapshots',
  'strictNullChecks explained',
  'Connection pools',
  'Cache eviction with allkeys-lru',
  '統計学の基礎',
  'Rolling back a release',
] as const
const SENTENCES = [
  'Set the maximum memory before you choose an eviction policy.',
  'Run `redis-cli --no-cache` to see what the server answers.',
  'A pool keeps connections open, so requests need not wait for a handshake.',
  'The compiler reports values that may be undefined.',
  '変更を監視するリアクティブな値は、関数の中で読む。',
  'Never restart the primary while a snapshot is written to the disk.',
  'An index on two columns serves queries for the first one too.',
] as const

/** Creates first versions of packs with several sections each, the same for every call. */
export function makeSearchPacks(count: number): NewVersion[] {
  return Array.from({ length: count }, (_, index) => {
    const subject = SUBJECTS[index % SUBJECTS.length]!
    const topic = TOPICS[(index * 5 + Math.floor(index / 6)) % TOPICS.length]!
    const sentence = (place: number): string => SENTENCES[(index * 3 + place * place) % SENTENCES.length]!
    const sections = Array.from(
      { length: 1 + (index % 4) },
      (__, place) =>
        `${'#'.repeat(2 + (place % 2))} ${TOPICS[(index + place) % TOPICS.length]}\n\n${sentence(place)} ${sentence(place + 1)}\n`,
    )
    return makeVersion({
      slug: `pack-${index}`,
      title: `${subject}: ${topic}`,
      content: `${index % 3 === 0 ? 'Read this first.\n\n' : ''}# ${subject} ${index}\n\n${sentence(9)}\n\n${sections.join('\n')}`,
      domain_slug: index % 3 === 0 ? 'databases' : 'languages',
      difficulty: index % 2 === 0 ? 'beginner' : 'expert',
      description: 'About servers.',
      tags: ['manual'],
      tokens: 50 + index,
    })
  })
}

/** Creates the store in memory of the same packs, which shows what every database must answer. */
export async function createReference(versions: readonly NewVersion[]): Promise<SearchStore> {
  const tokenizer = await loadTokenizer('o200k_base')
  const packs = await Promise.all(
    versions.map(async ({ pack }, index) => {
      const outline = outlineSections(pack.content, tokenizer)
      const { id, slug, title, version, domain_slug, difficulty } = pack
      const { token_count, rosetta_tokens, uncompressed_estimate } = pack
      const sections = outline.map((section) => ({
        id: section.id,
        title: section.title,
        path: section.path,
        tokens: section.tokens,
      }))
      const number = index + 1
      const sequence = number
      return {
        pack: {
          number,
          sequence,
          id,
          slug,
          title,
          version,
          pack_digest: pack.pack_digest,
          domain_slug,
          difficulty,
          token_count,
          rosetta_tokens,
          uncompressed_estimate,
          sections,
        },
        described: describePack(pack, pack.content, outline),
      }
    }),
  )
  return createMemoryStore(packs)
}

/** Stands for the texts of packs: phrases stand in every section. */
const noTexts: TextReader = {
  match: (_, { ordinals }) =>
    Promise.resolve(ordinals.map((ordinal) => ({ ordinal, hasPhrases: true, snippet: null }))),
  read: () => Promise.resolve(new Map()),
}

/** Searches without texts. */
export function searchStore(
  store: SearchStore,
  query: Omit<SearchQuery, 'limit' | 'offset' | 'scope'>,
): Promise<SearchPage> {
  return search(store, noTexts, { ...query, limit: 50, offset: 0, scope: 'full' })
}

/** Creates a function that answers questions from the texts of versions, in the order of the store. */
export async function createComposer(
  versions: readonly NewVersion[],
): Promise<(store: SearchStore, question: string, options?: Partial<ContextOptions>) => Promise<Context>> {
  const tokenizer = await loadTokenizer('o200k_base')
  const measure = (text: string): number => tokenizer.countTokens(text)
  const read: TextReader['read'] = ({ number }, ordinals) => {
    const { content } = versions[number - 1]!.pack
    const sections = splitSections(content)
    const texts = ordinals.map((ordinal) => {
      const { start, end } = sections[ordinal]!
      return [ordinal, { text: content.slice(start, end), links: [] }] as const
    })
    return Promise.resolve(new Map(texts))
  }
  return (store, question, options) =>
    composeContext(question, { budget: 900, measure, scope: 'full', ...options }, store, { ...noTexts, read })
}
