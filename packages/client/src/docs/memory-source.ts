import {
  chooseVersion,
  compareVersions,
  findNearest,
  groupBy,
  loadOnce,
  VersionError,
  parsePackName,
} from '@packs/codec/internal'
import type { Context as FoundContext } from '@packs/search'
import type { DecodedPack } from '../packs/decode-pack.ts'
import { openMemoryPack } from './open-pack.ts'
import {
  describeHit,
  type DocsSource,
  type OpenedPack,
  packNotFoundError,
  type TokenizerLoader,
} from './source.ts'
import type { Context, FoundSection } from './types.ts'

/**
 * Creates a source of packs in memory, such as those of a folder or of a lock. Only the newest
 * version of each pack is searched; `slug@range` opens others.
 * @param load called once, when the first pack is needed
 * @param loadIndex returns the index that `build` makes, such as a stored one
 */
export function createMemorySource(
  load: () => Promise<readonly DecodedPack[]>,
  loadTokenizer: TokenizerLoader,
  loadIndex: (build: () => Promise<Uint8Array>) => Promise<Uint8Array> = (build) => build(),
): DocsSource {
  const opened = new Map<DecodedPack, OpenedPack>()
  const getShelf = loadOnce(async () => createShelf(await load()))
  // The search engine needs a newer Node than prompts do.
  const getIndex = loadOnce(async () => {
    const engine = await import('@packs/search')
    const bytes = await loadIndex(async () => engine.indexTexts((await getShelf()).newest))
    return { ...engine, ...engine.openIndex(bytes) }
  })
  const open = (decoded: DecodedPack): OpenedPack => {
    const known = opened.get(decoded) ?? openMemoryPack(decoded, loadTokenizer)
    opened.set(decoded, known)
    return known
  }

  return {
    async search(query, { limit, domain, difficulty }) {
      const { search, store, texts, readPack } = await getIndex()
      const asked = { text: query, limit, offset: 0, scope: 'full', domain, difficulty } as const
      const { hits, corrected } = await search(store, texts, asked)
      const sections = hits.map(async (hit): Promise<FoundSection> => {
        const { section, pack } = hit
        if (section === null) return describeHit(hit)
        const { sections: all, tokenizer } = readPack(pack.number)
        const ordinal = all.findIndex(({ id }) => id === section.id)
        // Indexes of files hold no counts.
        const { text = '' } = (await texts.read(pack, [ordinal], 'full')).get(ordinal) ?? {}
        const tokens = (await loadTokenizer(tokenizer)).countTokens(text)
        return describeHit({ ...hit, section: { ...section, tokens } })
      })
      return { sections: await Promise.all(sections), corrected, stale: false }
    },
    async context(query, { budget, links, packs, fill }) {
      const { composeContext, store, texts } = await getIndex()
      const tokenizer = await loadTokenizer('o200k_base')
      const measure = (text: string): number => tokenizer.countTokens(text)
      const shelf = packs && (await getShelf())
      const named = shelf && packs.map((name) => choosePack(shelf, name).pack.slug)
      const asked = { budget, links, packs: named, fill, measure, scope: 'full' } as const
      return describeContext(await composeContext(query, asked, store, texts), budget)
    },
    open: async (name) => open(choosePack(await getShelf(), name)),
    list: async (limit) =>
      (await getShelf()).newest.slice(0, limit).map((decoded) => {
        const { pack, version, digest, title, tokens } = open(decoded)
        return { pack, version, digest, title, tokens, domain: decoded.pack.domain }
      }),
  }
}

interface Shelf {
  /** All versions of each pack, by slug and by id, the newest first. */
  readonly byName: ReadonlyMap<string, readonly DecodedPack[]>
  /** The newest version of each pack, by slug. */
  readonly newest: readonly DecodedPack[]
}

function createShelf(packs: readonly DecodedPack[]): Shelf {
  const bySlug = groupBy(packs, ({ pack }) => pack.slug)
  const byName = new Map<string, readonly DecodedPack[]>()
  for (const [slug, versions] of bySlug) {
    const sorted = versions.toSorted((a, b) => compareVersions(b.pack.version, a.pack.version))
    byName.set(slug, sorted)
    byName.set(sorted[0]!.pack.id, sorted)
  }
  return { byName, newest: [...bySlug.keys()].toSorted().map((slug) => byName.get(slug)![0]!) }
}

/** @throws SourceError `pack_not_found`, VersionError `no_matching_version` */
function choosePack({ byName, newest }: Shelf, name: string): DecodedPack {
  const { pack, range } = parsePackName(name)
  const versions = byName.get(pack)
  if (versions === undefined) {
    const slugs = newest.map((decoded) => decoded.pack.slug)
    throw packNotFoundError(pack, findNearest(pack, slugs))
  }
  const documents = versions.map((decoded) => decoded.pack)
  const chosen = chooseVersion(documents, range)
  if (chosen === undefined) throw VersionError.noMatch(pack, documents, range)
  return versions[documents.indexOf(chosen)]!
}

/** Describes what the search engine composed. */
export function describeContext(found: FoundContext, budget: number): Context {
  const { passages, omitted, ...answer } = found
  return {
    ...answer,
    budget,
    passages: passages.map(({ pack, sections, ...passage }) => ({
      ...describePack(pack),
      ...passage,
      section: sections[0]!.id,
      sections: sections.map(({ id }) => id),
    })),
    omitted: omitted.map(({ pack, section, path, reason }) => {
      const { id, tokens } = section
      return { ...describePack(pack), section: id, path, tokens, reason }
    }),
    stale: false,
  }
}

type FoundPack = FoundContext['passages'][number]['pack']

function describePack({ slug, version, pack_digest: digest, title }: FoundPack) {
  return { pack: slug, version, digest, title }
}
