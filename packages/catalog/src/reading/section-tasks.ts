import { resourceLimits } from 'node:worker_threads'
import type { TokenizerName } from '@packs/codec/compress'
import {
  findNearest,
  frameTexts,
  hideCounts,
  joinLinks,
  type LinkForm,
  type LinkedText,
  writeHead,
  writeLinks,
} from '@packs/codec/internal'
import type { OutlinedSection } from '@packs/codec/sections'
import { type ReadingScope, type SearchQuery, type SearchStore, type TextReader } from '@packs/search'
import { LRUCache } from 'lru-cache'
import type { Catalog } from '../open-catalog.ts'
import { damagedError } from '../packs/version-row.ts'
import type { VersionRecord } from '../types.ts'
import type { Outline } from '../search-index/describe-version.ts'
import { type CatalogWork, loadSharedTokenizer, type ThreadWork } from './create-catalog-thread.ts'
import {
  type LinkedSlice,
  type OpenedPack,
  openPack,
  OUTLINE_BYTES,
  readText,
  type SectionPart,
  slicePack,
} from './open-pack.ts'
import {
  composeFromIndex,
  type ContextQuery,
  createTextReader,
  type IndexContext,
  type IndexPage,
  searchIndex,
} from './search-texts.ts'

export interface SectionReads {
  /** `undefined` for an unknown version. */
  page(sequence: number, offset: number, limit: number): Promise<OutlinePage | undefined>
  /** `undefined` for an unknown version. */
  find(sequence: number, id: string): Promise<SectionLookup | undefined>
  /** @throws CatalogError `search_busy`, or another if the index is damaged */
  search(query: SearchQuery): Promise<IndexPage>
  /** @throws CatalogError as `search` does */
  context(query: ContextQuery): Promise<IndexContext>
  /**
   * Returns the cheaper of plain text and the pack's own slice; plain text for a reader of the
   * preview, and for another form of links than numbers.
   * @throws CatalogError `catalog_damaged`, which names the version, or `catalog_busy`
   * @throws RangeError if the part ends beyond what the reader may see
   */
  slice(sequence: number, part: SectionPart, scope: ReadingScope, links?: LinkForm): Promise<LinkedSlice>
  /** Returns plain text with the addresses of its own numbers; throws as `slice` does. */
  text(sequence: number, part: SectionPart, scope: ReadingScope): Promise<LinkedText>
  /** Returns whole versions, or their previews, each in tags; throws as `slice` does. */
  whole(versions: readonly SizedVersion[], options: WholeOptions): Promise<WholePacks>
}

/** A version, with what tells whether reading it is worth the time. */
export type SizedVersion = Pick<VersionRecord, 'sequence' | 'uncompressed_estimate' | 'bytes'>

export interface WholeOptions {
  readonly budget: number
  readonly tokenizer: TokenizerName
  readonly scope: ReadingScope
  /** How links are written; numbers are counted over the whole text. @default 'number' */
  readonly links?: LinkForm | undefined
}

/** The texts of versions as one, and what it consists of. */
export interface WholePacks {
  /** Empty if it would exceed the budget. */
  readonly text: string
  /** The address of each number in the text, completed by the URL of its page. */
  readonly links: Readonly<Record<string, string>>
  readonly tokens: number
  /** If the text exceeds the budget, its tokens; an estimate if nothing was read. */
  readonly needed: number | null
  /** Empty if nothing was read. */
  readonly packs: readonly WholePack[]
}

export interface WholePack extends Pick<VersionRecord, 'slug' | 'version' | 'title'> {
  /** `null` for readers of previews. */
  readonly pack_digest: string | null
  /** Tokens with the tags around it. */
  readonly tokens: number
  /** What is inside the tags. */
  readonly text: string
  /** URL of the page; `null` if it is not known. */
  readonly url: string | null
  /** Ids of the sections of which the text has a part. */
  readonly sections: readonly string[]
  /** The first section that is not in the text as a whole. */
  readonly locked: OutlinedSection | undefined
}

export type SectionResult<Kind extends keyof SectionReads> = Awaited<ReturnType<SectionReads[Kind]>>

export interface SectionTask<Kind extends keyof SectionReads = keyof SectionReads> {
  readonly kind: Kind
  readonly parameters: Parameters<SectionReads[Kind]>
}

type SectionWork = CatalogWork<SectionTask, SectionResult<keyof SectionReads>>

/** Keeps outlines and decoded packs of at most `maxBytes`, so that each is decoded once. */
export function createSectionWork(maxBytes: number): SectionWork {
  const known = new LRUCache<number, Outline | OpenedPack>({
    maxSize: maxBytes,
    sizeCalculation: (value) => ('body' in value ? value.bytes : (value.sections.length + 1) * OUTLINE_BYTES),
  })

  const readOutlines = async (
    catalog: Catalog,
    sequences: readonly number[],
  ): Promise<ReadonlyMap<number, Outline>> => {
    const outlines = new Map<number, Outline>()
    for (const sequence of sequences) {
      const found = known.get(sequence)
      if (found !== undefined) outlines.set(sequence, 'body' in found ? found.outline : found)
    }
    const unknown = sequences.filter((sequence) => !outlines.has(sequence))
    for (const [sequence, outline] of await catalog.search.outlines(unknown)) {
      outlines.set(sequence, outline)
      known.set(sequence, outline)
    }
    return outlines
  }
  const readOutline = async (catalog: Catalog, sequence: number): Promise<Outline | undefined> =>
    (await readOutlines(catalog, [sequence])).get(sequence)

  const open = async (catalog: Catalog, sequence: number): Promise<OpenedPack> => {
    const found = known.get(sequence)
    if (found !== undefined && 'body' in found) return found
    const outline = await readOutline(catalog, sequence)
    const pack = requireVersion(outline && (await openPack(catalog, sequence, outline)), sequence)
    known.set(sequence, pack)
    return pack
  }

  const createTexts = (catalog: Catalog): TextReader =>
    createTextReader(
      catalog,
      async (sequence) => requireVersion(await readOutline(catalog, sequence), sequence),
      (sequence) => open(catalog, sequence),
    )

  const openStore = (catalog: Catalog, scope: ReadingScope): SearchStore =>
    catalog.search.store(async (sequences) => {
      const outlines = await readOutlines(catalog, sequences)
      if (scope === 'full') return outlines
      const hide = (outline: Outline): Outline => {
        const { preview, sections } = outline
        return { ...outline, sections: sections.map((section) => hideCounts(section, preview)) }
      }
      return new Map(Array.from(outlines, ([sequence, outline]) => [sequence, hide(outline)]))
    })

  const createReads = (catalog: Catalog): SectionReads => ({
    async page(sequence, offset, limit) {
      const outline = await readOutline(catalog, sequence)
      // An outline may have a million sections.
      const sections = outline?.sections.slice(offset, offset + limit) ?? []
      return outline && { ...measureOutline(outline), sections }
    },
    async find(sequence, id) {
      const outline = await readOutline(catalog, sequence)
      return outline && lookUpSection(outline, id)
    },
    search: (query) => searchIndex(openStore(catalog, query.scope), query, createTexts(catalog)),
    context: (query) => composeFromIndex(openStore(catalog, query.scope), query, createTexts(catalog)),
    slice: async (sequence, part, scope, links) =>
      slicePack(await open(catalog, sequence), part, scope, links),
    text: async (sequence, part, scope) => readText(await open(catalog, sequence), part, scope),
    whole: (versions, options) => readWhole(versions, options, (sequence) => open(catalog, sequence)),
  })

  return (catalog, { kind, parameters }) => {
    const read = createReads(catalog)[kind] as (...values: unknown[]) => ReturnType<SectionReads[typeof kind]>
    return read(...parameters)
  }
}

/** The work of the thread of a reader, which has one catalog, and a 32nd of its heap for packs. */
export const work: SectionWork = createSectionWork(
  ((resourceLimits.maxOldGenerationSizeMb ?? 1024) / 32) * 2 ** 20,
)
export const sectionWork: ThreadWork<SectionTask, SectionResult<keyof SectionReads>> = {
  module: import.meta.url,
  work,
}

function requireVersion<T>(found: T | undefined, sequence: number): T {
  if (found === undefined) throw damagedError(`no version has sequence ${sequence}`)
  return found
}

/** Texts that take so many times the budget are not read: no tokenizer counts so differently. */
const MAX_EXCESS = 8

async function readWhole(
  versions: readonly SizedVersion[],
  { budget, tokenizer: name, scope, links: form = 'number' }: WholeOptions,
  open: (sequence: number) => Promise<OpenedPack>,
): Promise<WholePacks> {
  const estimate = versions.reduce((sum, version) => sum + version.uncompressed_estimate, 0)
  if (scope === 'full' && estimate > MAX_EXCESS * budget) return { ...NOTHING, needed: estimate, packs: [] }
  const tokenizer = await loadSharedTokenizer(name)
  const opened: OpenedPack[] = []
  for (const { sequence } of versions) opened.push(await open(sequence))
  const measureEnd = ({ body, outline }: OpenedPack): number =>
    scope === 'full' ? body.length : outline.preview
  const parts = opened.map((pack) => pack.linkPart({ start: 0, end: measureEnd(pack) }))
  const written =
    form === 'number'
      ? joinLinks(parts)
      : { texts: parts.map((part) => writeLinks(part.text, part.links, form, part)), links: [] }
  const texts = frameTexts(
    opened.map((pack, at) => ({
      attributes: { id: pack.slug, title: pack.title },
      text: written.texts[at]!,
    })),
  )
  const packs = opened.map((pack, at): WholePack => {
    const { slug, version, title, pack_digest, outline } = pack
    const end = measureEnd(pack)
    const sections = outline.sections.filter(({ start }) => start < end).map(({ id }) => id)
    const locked = outline.sections.find((section) => section.end > end)
    const names = { slug, version, title, pack_digest: scope === 'full' ? pack_digest : null }
    return {
      ...names,
      tokens: tokenizer.countTokens(texts[at]!),
      text: written.texts[at]!,
      url: parts[at]!.url ?? null,
      sections,
      locked: locked && hideCounts(locked, end),
    }
  })
  // Each text begins with a tag on a line of its own, so no token reaches over its start.
  const head = writeHead(undefined, written.links.length > 0)
  const tokens = packs.reduce((sum, pack) => sum + pack.tokens, tokenizer.countTokens(head))
  const links = Object.fromEntries(written.links.map((address, at) => [at + 1, address]))
  return tokens > budget
    ? { ...NOTHING, needed: tokens, packs }
    : { text: head + texts.join(''), links, tokens, needed: null, packs }
}

const NOTHING = { text: '', links: {}, tokens: 0 } as const

/** How far an outline is open to a reader of the preview. */
interface OutlineSize {
  /** Offset of the decoded body where the preview ends, in UTF-16 units. */
  readonly preview: number
  readonly total: number
  /** Sections that lie wholly in the preview: the first ones. */
  readonly open: number
}

export interface OutlinePage extends OutlineSize {
  readonly sections: readonly OutlinedSection[]
}

export interface SectionLookup extends OutlineSize {
  /** `undefined` if no section has the id. */
  readonly section: OutlinedSection | undefined
  /** Ids that are most like an unknown one, at most three, the nearest first. */
  readonly nearest: readonly string[]
}

function lookUpSection(outline: Outline, id: string): SectionLookup {
  const section = outline.sections.find((other) => other.id === id)
  const list = (): string[] => outline.sections.map((other) => other.id)
  const nearest = section === undefined ? findNearest(id, list()) : []
  return { ...measureOutline(outline), section, nearest }
}

function measureOutline({ preview, sections }: Outline): OutlineSize {
  const closed = sections.findIndex(({ end }) => end > preview)
  return { preview, total: sections.length, open: closed < 0 ? sections.length : closed }
}
