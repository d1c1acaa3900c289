import {
  type DecodedPack,
  findNearest,
  noMatchingVersionError,
  openMemoryPack,
  type OpenedPack,
  packNotFoundError,
  type PackSource,
  type SectionHit,
  type SourceContext,
  type TokenizerLoader,
} from '@packs/client/agent-tools'
import { splitSections } from '@packs/codec/sections'
import { chooseVersion, compareVersions, parsePackName } from '@packs/codec/verify'
import { type Context, composeContext, indexTexts, search, type SearchHit } from '@packs/search'

/**
 * Creates a source of packs in memory, such as those of a folder or of a lock. Only the newest
 * version of each pack is searched and listed; `slug@range` opens others.
 *
 * @param load called once, when the first pack is needed
 * @example
 * const source = createMemorySource(() => openPacks(files), loadTokenizer)
 */
export function createMemorySource(
  load: () => Promise<readonly DecodedPack[]>,
  loadTokenizer: TokenizerLoader,
): PackSource {
  let shelf: Promise<Shelf> | undefined
  let index: ReturnType<typeof indexTexts> | undefined
  const opened = new Map<DecodedPack, OpenedPack>()

  const getShelf = (): Promise<Shelf> => {
    if (shelf === undefined) {
      shelf = load().then(createShelf)
      // A failure may be temporary, for example while a catalog is offline.
      shelf.catch(() => (shelf = undefined))
    }
    return shelf
  }

  const open = (decoded: DecodedPack): OpenedPack => {
    const known = opened.get(decoded) ?? openMemoryPack(decoded.pack, loadTokenizer, decoded.body)
    opened.set(decoded, known)
    return known
  }

  return {
    async search(query, { limit }) {
      const { newest } = await getShelf()
      index ??= indexPacks(newest)
      const { hits } = await search(index.store, index.texts, {
        text: query,
        limit,
        offset: 0,
        scope: 'full',
      })
      return Promise.all(hits.map((hit) => describeHit(hit, open(newest[hit.pack.number]!))))
    },
    async context(query, { budget, isQuoted }) {
      const { newest } = await getShelf()
      const tokenizer = await loadTokenizer('o200k_base')
      const count = (text: string): number => tokenizer.countTokens(text)
      const measure = (text: string): number =>
        Math.max(count(text), isQuoted ? count(JSON.stringify(text)) : 0)
      index ??= indexPacks(newest)
      const found = await composeContext(
        query,
        { budget, measure, count, scope: 'full' },
        index.store,
        index.texts,
      )
      return describeContext(found, (number) => newest[number]!.pack.pack_digest)
    },
    open: async (name) => open(choosePack(await getShelf(), name)),
    async list(offset, limit) {
      const { newest } = await getShelf()
      const packs = newest
        .slice(offset, offset + limit)
        .map(({ pack: { slug, version, title } }) => ({ slug, version, title }))
      return { packs, hasMore: offset + limit < newest.length }
    },
  }
}

interface Shelf {
  /** All versions of each pack, by slug and by id, the newest first. */
  readonly byName: ReadonlyMap<string, readonly DecodedPack[]>
  /** The newest version of each pack, by slug. */
  readonly newest: readonly DecodedPack[]
}

function createShelf(packs: readonly DecodedPack[]): Shelf {
  const bySlug = Map.groupBy(packs, ({ pack }) => pack.slug)
  const byName = new Map<string, readonly DecodedPack[]>()
  for (const [slug, versions] of bySlug) {
    const sorted = versions.toSorted((a, b) => compareVersions(b.pack.version, a.pack.version))
    byName.set(slug, sorted)
    byName.set(sorted[0]!.pack.id, sorted)
  }
  return { byName, newest: [...bySlug.keys()].toSorted().map((slug) => byName.get(slug)![0]!) }
}

/** @throws SourceError `pack_not_found` or `no_matching_version` */
function choosePack({ byName, newest }: Shelf, name: string): DecodedPack {
  const { pack, range } = parsePackName(name)
  const versions = byName.get(pack)
  if (versions === undefined) {
    const slugs = newest.map((decoded) => decoded.pack.slug)
    throw packNotFoundError(pack, findNearest(pack, slugs))
  }
  const documents = versions.map((decoded) => decoded.pack)
  const chosen = chooseVersion(documents, range)
  if (chosen === undefined) throw noMatchingVersionError(name, documents)
  return versions[documents.indexOf(chosen)]!
}

function indexPacks(packs: readonly DecodedPack[]): ReturnType<typeof indexTexts> {
  return indexTexts(
    packs.map(({ pack, body }, number) => {
      // Tokens are counted for hits only.
      const sections = splitSections(body).map((section) => ({ ...section, tokens: 0 }))
      return { pack: { ...pack, number, sequence: number, sections }, body }
    }),
  )
}

async function describeHit({ section, snippet }: SearchHit, pack: OpenedPack): Promise<SectionHit> {
  const { slug, version, digest, title } = pack
  const names = { slug, version, digest, title, snippet }
  if (section === null) return { ...names, section: null, tokens: pack.tokens }
  const { section: entry } = await pack.find(section.id, AbortSignal.any([]))
  return { ...names, section: { id: section.id, path: section.path }, tokens: entry?.tokens ?? 0 }
}

/**
 * Describes passages of an index as those of a source.
 *
 * @param findDigest returns the `pack_digest` of a pack by its number
 */
export function describeContext(
  { passages, omitted, ...found }: Context,
  findDigest: (pack: number) => string | undefined,
): SourceContext {
  return {
    ...found,
    passages: passages.map(({ pack, sections, tokens }) => ({
      slug: pack.slug,
      version: pack.version,
      digest: findDigest(pack.number),
      sections: sections.map(({ id }) => id),
      path: sections[0]!.path,
      tokens,
    })),
    omitted: omitted.map(({ pack, section, reason }) => ({
      slug: pack.slug,
      version: pack.version,
      digest: findDigest(pack.number),
      title: pack.title,
      section,
      tokens: section.tokens,
      snippet: null,
      isLocked: reason === 'locked',
    })),
  }
}
