import {
  type DecodedPack,
  noMatchingVersionError,
  openMemoryPack,
  type OpenedPack,
  packNotFoundError,
  type PackSource,
  type SectionHit,
  type SourceContext,
  type TokenizerLoader,
} from '@packs/client/tools'
import { chooseVersion, compareVersions, findNearest, loadOnce, parsePackName } from '@packs/codec/internal'
import {
  type Context,
  composeContext,
  indexTexts,
  openIndex,
  search,
  type SearchHit,
  type TextIndex,
} from '@packs/search'

/**
 * Creates a source of packs in memory, such as those of a folder or of a lock. Only the newest
 * version of each pack is searched; `slug@range` opens others.
 * @param load called once, when the first pack is needed
 * @param loadIndex returns the index that `build` makes, such as a stored one
 * @example
 * const source = createMemorySource(() => openPacks(files), loadTokenizer)
 */
export function createMemorySource(
  load: () => Promise<readonly DecodedPack[]>,
  loadTokenizer: TokenizerLoader,
  loadIndex: (build: () => Promise<Uint8Array>) => Promise<Uint8Array> = (build) => build(),
): PackSource {
  const opened = new Map<DecodedPack, OpenedPack>()
  const getShelf = loadOnce(async () => createShelf(await load()))
  const getIndex = loadOnce(async () =>
    openIndex(await loadIndex(async () => indexTexts((await getShelf()).newest))),
  )
  const open = (decoded: DecodedPack): OpenedPack => {
    const known = opened.get(decoded) ?? openMemoryPack(decoded, loadTokenizer)
    opened.set(decoded, known)
    return known
  }

  return {
    async search(query, { limit }) {
      const index = await getIndex()
      const { hits } = await search(index.store, index.texts, {
        text: query,
        limit,
        offset: 0,
        scope: 'full',
      })
      return Promise.all(hits.map((hit) => describeHit(hit, index, loadTokenizer)))
    },
    async context(query, { budget, isQuoted, links }) {
      const { store, texts } = await getIndex()
      const tokenizer = await loadTokenizer('o200k_base')
      const count = (text: string): number => tokenizer.countTokens(text)
      const measure = (text: string): number =>
        Math.max(count(text), isQuoted ? count(JSON.stringify(text)) : 0)
      const found = await composeContext(
        query,
        { budget, measure, count, links, scope: 'full' },
        store,
        texts,
      )
      return describeContext(found)
    },
    open: async (name) => open(choosePack(await getShelf(), name)),
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

async function describeHit(
  { section, snippet, pack: { number } }: SearchHit,
  { readPack, texts }: TextIndex,
  loadTokenizer: TokenizerLoader,
): Promise<SectionHit> {
  const pack = readPack(number)
  const { slug, version, pack_digest, title, uncompressed_estimate: tokens } = pack
  const names = { slug, version, digest: pack_digest ?? undefined, title, snippet }
  if (section === null) return { ...names, section: null, tokens }
  const ordinal = pack.sections.findIndex(({ id }) => id === section.id)
  const { text = '' } = (await texts.read(pack, [ordinal], 'full')).get(ordinal) ?? {}
  const tokenizer = await loadTokenizer(pack.tokenizer)
  return { ...names, section: { id: section.id, path: section.path }, tokens: tokenizer.countTokens(text) }
}

/** Describes passages of an index as those of a source. */
export function describeContext({ passages, omitted, ...found }: Context): SourceContext {
  return {
    ...found,
    passages: passages.map(({ pack, sections, path, tokens }) => ({
      slug: pack.slug,
      version: pack.version,
      digest: pack.pack_digest ?? undefined,
      sections: sections.map(({ id }) => id),
      path,
      tokens,
    })),
    omitted: omitted.map(({ pack, section, reason }) => ({
      slug: pack.slug,
      version: pack.version,
      digest: pack.pack_digest ?? undefined,
      title: pack.title,
      section,
      tokens: section.tokens,
      snippet: null,
      isLocked: reason === 'locked',
    })),
  }
}
