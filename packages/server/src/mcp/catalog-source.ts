import {
  CatalogError,
  listSimilarPacks,
  type Catalog,
  type PackSearch,
  type ReadingScope,
  type SectionReads,
  type VersionRecord,
} from '@packs/catalog'
import type { OutlinedSection } from '@packs/codec/sections'
import { chooseVersion, parsePackName } from '@packs/codec/verify'
import { describeContext } from '@packs/mcp'
import {
  describeSection,
  MAX_OUTLINE,
  noMatchingVersionError,
  packNotFoundError,
  SourceError,
  type OpenedPack,
  type OutlineEntry,
  type PackIdentity,
  type PackSource,
  type SectionPart,
} from '@packs/client/tools'
import type { SearchHit } from '@packs/search'

export interface CatalogReaders {
  readonly catalog: Catalog
  readonly sections: SectionReads
  readonly packSearch: PackSearch
  /** Account of the reader; accounts take turns. */
  readonly owner: string
  /** Called with details of damage, which the reader does not get. */
  readonly onDamage: (error: CatalogError) => void
}

/**
 * Creates a source from the catalog of this process, for a reader of all text or only of previews.
 * It does not charge anything.
 *
 * @example
 * const source = createCatalogSource(readers, account.tier === 'pro' ? 'full' : 'preview')
 */
export function createCatalogSource(readers: CatalogReaders, scope: ReadingScope): PackSource {
  const { catalog, packSearch, owner, onDamage } = readers
  return {
    search: (query, { limit, signal }) =>
      explainErrors(onDamage, async () => {
        const page = await packSearch.search({ text: query, limit, offset: 0 }, scope, owner)
        signal.throwIfAborted()
        return Promise.all(page.hits.map((hit) => describeHit(catalog, hit, scope)))
      }),
    context: (query, { budget, isQuoted, signal }) =>
      explainErrors(onDamage, async () => {
        const asked = { text: query, budget, isQuoted, scope, tokenizer: 'o200k_base' } as const
        const found = await packSearch.context(asked, owner)
        signal.throwIfAborted()
        const packs = [...found.passages, ...found.omitted].map(({ pack }) => pack)
        const numbers = new Map(packs.map((pack) => [pack.number, pack]))
        const digests = new Map<number, string>()
        for (const [number, { slug, version }] of numbers) {
          const digest = (await catalog.packs.find(slug, version))?.pack_digest
          if (digest !== undefined) digests.set(number, digest)
        }
        return describeContext(found, (number) => digests.get(number))
      }),
    open: (name, signal) =>
      explainErrors(onDamage, async () => {
        const record = await findVersion(catalog, name)
        signal.throwIfAborted()
        return openVersion(readers, record, scope)
      }),
  }
}

/** Finds the newest version that a name allows. A yanked one is found only by its exact number. */
async function findVersion({ packs }: Catalog, name: string): Promise<VersionRecord> {
  const { pack, range } = parsePackName(name)
  const newest = range === undefined ? await packs.find(pack) : undefined
  if (newest !== undefined) return newest
  const versions = await packs.versions(pack)
  if (versions.length === 0) throw packNotFoundError(pack, await listSimilarPacks(packs, pack))
  const chosen = chooseVersion(versions, range)
  const found = chosen && (await packs.find(pack, chosen.version))
  if (found === undefined) throw noMatchingVersionError(name, versions)
  return found
}

async function describeHit(
  { packs }: Catalog,
  { pack, section, snippet }: SearchHit,
  scope: ReadingScope,
): Promise<Awaited<ReturnType<PackSource['search']>>[number]> {
  const { slug, version, title, uncompressed_estimate } = pack
  const digest = (await packs.find(slug, version))?.pack_digest
  const names = { slug, version, digest, title, snippet }
  return section === null
    ? { ...names, section: null, tokens: uncompressed_estimate }
    : {
        ...names,
        section: { id: section.id, path: section.path },
        tokens: section.tokens,
        isLocked: scope === 'preview' && snippet === null,
      }
}

function openVersion(
  { sections: reader, onDamage }: CatalogReaders,
  record: VersionRecord,
  scope: ReadingScope,
): OpenedPack {
  const { sequence, slug, version, title, pack_digest: digest, tokenizer } = record
  const isPreview = scope === 'preview'
  const signer = record.signatures.at(-1)?.key_id
  const identity: PackIdentity = { slug, version, digest, title, ...(signer !== undefined && { signer }) }

  const describe = (section: OutlinedSection, preview: number): OutlineEntry =>
    describeSection(section, isPreview ? preview : undefined)

  return {
    ...identity,
    tokenizer,
    tokens: isPreview ? record.preview_tokens : record.uncompressed_estimate,
    isPreview,
    outline: () =>
      explainErrors(onDamage, async () => {
        const { sections, preview, total } = requireFound(await reader.page(sequence, 0, MAX_OUTLINE))
        return { sections: sections.map((section) => describe(section, preview)), total }
      }),
    find: (id) =>
      explainErrors(onDamage, async () => {
        const { section, nearest, preview } = requireFound(await reader.find(sequence, id))
        return { section: section && describe(section, preview), nearest }
      }),
    read: (part) =>
      explainErrors(onDamage, () =>
        part === undefined ? readAll(reader, sequence, scope) : readPart(reader, sequence, scope, part),
      ),
  }
}

async function readPart(
  reader: SectionReads,
  sequence: number,
  scope: ReadingScope,
  { id, subtree }: SectionPart,
): Promise<string> {
  const { start, end, subtreeEnd } = requireFound((await reader.find(sequence, id))?.section)
  return reader.text(sequence, { start, end: subtree ? subtreeEnd : end }, scope)
}

/** Reads the body or its preview. The body is all sections joined. */
async function readAll(reader: SectionReads, sequence: number, scope: ReadingScope): Promise<string> {
  const first = requireFound(await reader.page(sequence, 0, 1))
  const last = await reader.page(sequence, Math.max(0, first.total - 1), 1)
  const end = scope === 'preview' ? first.preview : (last?.sections[0]?.end ?? 0)
  return reader.text(sequence, { start: 0, end }, scope)
}

/** Throws if the rows of a version were deleted, which this program never does. */
function requireFound<T>(found: T | undefined): T {
  if (found !== undefined) return found
  throw new Error('A version that was found no longer exists')
}

/** Rejects with errors that reveal no more than a reader may know. */
function explainErrors<T>(onDamage: CatalogReaders['onDamage'], work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    throw explainError(error, onDamage)
  })
}

function explainError(error: unknown, onDamage: CatalogReaders['onDamage']): unknown {
  if (!(error instanceof CatalogError)) return error
  if (error.code === 'catalog_damaged') {
    onDamage(error)
    const hint = 'Use another version or another pack; the damage was logged for the operator.'
    return new SourceError('damaged_pack', 'This pack is damaged in the catalog.', hint, { cause: error })
  }
  if (!/^(?:search_busy|catalog_busy|catalog_unavailable)$/.test(error.code)) return error
  const hint = 'Try again in a few seconds.'
  return new SourceError('unavailable', 'The catalog is temporarily unavailable.', hint, { cause: error })
}
