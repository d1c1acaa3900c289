import { CodecError, decode } from '@packs/codec'
import { createSlicer, type BodySlice, type OutlinedSection, type Slicer } from '@packs/codec/sections'
import { loadTokenizer, type Tokenizer, type TokenizerName } from '@packs/codec/tokens'
import {
  composeContext,
  matchText,
  search,
  type Context,
  type ContextOptions,
  type FoundPack,
  type ReadingScope,
  type SearchPage,
  type SearchQuery,
  type TextMatch,
  type TextReader,
  type TextRequest,
} from '@packs/search'
import { LRUCache } from 'lru-cache'
import { CatalogError, type DamagedVersion } from '../catalog-error.ts'
import type { Catalog } from '../open-catalog.ts'
import { undecodableError } from '../packs/read-versions.ts'
import { damagedError, openDocument } from '../packs/version-row.ts'
import type { VersionRecord } from '../types.ts'
import type { Outline } from '../search-index/describe-version.ts'
import type { CatalogWork, ThreadWork } from '../threads/create-catalog-thread.ts'
import { lookUpSection, pageOutline, type OutlinePage, type SectionLookup } from './look-up-section.ts'

/** Where a section begins and ends in the body of its version. */
type SectionPart = Pick<OutlinedSection, 'start' | 'end'>

/** Reads sections of versions, and searches them. */
export interface SectionReads {
  /**
   * Returns some sections of a version; `undefined` for an unknown version.
   *
   * @throws CatalogError `catalog_damaged`
   */
  page(sequence: number, offset: number, limit: number): Promise<OutlinePage | undefined>
  /**
   * Finds a section by its id; `undefined` for an unknown version.
   *
   * @throws CatalogError `catalog_damaged`
   */
  find(sequence: number, id: string): Promise<SectionLookup | undefined>
  /**
   * Returns the hits of a query in the index, with snippets of the text that the reader may see.
   *
   * @throws CatalogError `search_busy`, or another if the index is damaged
   */
  search(query: SearchQuery): Promise<IndexPage>
  /**
   * Returns the passages that answer a question within a budget, of the text that the reader may
   * see.
   *
   * @throws CatalogError as `search` does
   */
  context(query: ContextQuery): Promise<IndexContext>
  /**
   * Returns a part of a version's body: the cheaper of plain text and the pack's own slice, or
   * plain text for a reader of the preview.
   *
   * @throws CatalogError `catalog_damaged`, which names the version, or `catalog_busy`
   * @throws RangeError if the part ends beyond what the reader may see
   */
  slice(sequence: number, part: SectionPart, scope: ReadingScope): Promise<BodySlice>
  /**
   * Returns a part of a version's body as plain text.
   *
   * @throws CatalogError and RangeError as `slice` does
   */
  text(sequence: number, part: SectionPart, scope: ReadingScope): Promise<string>
}

/** A page of hits in the index. Their packs have no list of sections, which may be long. */
export interface IndexPage extends SearchPage {
  /** Packs of this page that cannot be read. */
  readonly damaged: readonly DamagedVersion[]
}

/** A question, and how much of an answer is wanted. */
export interface ContextQuery extends Omit<ContextOptions, 'measure' | 'count'> {
  readonly text: string
  readonly tokenizer: TokenizerName
  /** Whether the text as a JSON string must be within the budget too. @default false */
  readonly isQuoted?: boolean
}

/** Passages from the index. Their packs have no list of sections. */
export interface IndexContext extends Context {
  /** Packs that cannot be read. */
  readonly damaged: readonly DamagedVersion[]
}

export type SectionResult<Kind extends keyof SectionReads> = Awaited<ReturnType<SectionReads[Kind]>>

/** One read: its name and its parameters. */
export interface SectionTask<Kind extends keyof SectionReads = keyof SectionReads> {
  readonly kind: Kind
  readonly parameters: Parameters<SectionReads[Kind]>
}

type SectionWork = CatalogWork<SectionTask, SectionResult<keyof SectionReads>>

/** A version with its decoded body. */
interface OpenedPack {
  readonly title: string
  readonly body: string
  readonly outline: Outline
  readonly tokenizer: Tokenizer
  /** Slices the pack. It is prepared when it is first used. */
  slicer(): Slicer
  /** Estimated bytes in memory. */
  readonly bytes: number
}

/** Memory of a prepared slicer for each character of the content, besides the texts. */
const SLICER_BYTES = 8
const OUTLINE_BYTES = 400

/**
 * Creates the work of a section reader. It keeps decoded packs of at most `maxBytes`, so that
 * several reads of one pack decode it once, and outlines of at most half of that.
 */
export function createSectionWork(maxBytes: number): SectionWork {
  const opened = new LRUCache<number, OpenedPack>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
  })
  const outlines = new LRUCache<number, Outline>({
    maxSize: Math.ceil(maxBytes / 2),
    sizeCalculation: ({ sections }) => (sections.length + 1) * OUTLINE_BYTES,
  })

  const readOutline = async (catalog: Catalog, sequence: number): Promise<Outline | undefined> => {
    const outline = outlines.get(sequence) ?? (await catalog.search.outline(sequence))
    if (outline !== undefined) outlines.set(sequence, outline)
    return outline
  }

  const open = async (catalog: Catalog, sequence: number): Promise<OpenedPack> => {
    const known = opened.get(sequence)
    if (known !== undefined) return known
    const outline = await readOutline(catalog, sequence)
    const pack = outline && (await openPack(catalog, sequence, outline))
    if (pack === undefined) throw damagedError(`no version has sequence ${sequence}`)
    opened.set(sequence, pack)
    return pack
  }

  const createTexts = (catalog: Catalog): TextReader => ({
    match: async ({ sequence }, request) => matchPack(await open(catalog, sequence), request),
    read: async ({ sequence }, ordinals, scope) =>
      readSections(await open(catalog, sequence), ordinals, scope),
  })

  const createReads = (catalog: Catalog): SectionReads => ({
    async page(sequence, offset, limit) {
      const outline = await readOutline(catalog, sequence)
      return outline && pageOutline(outline, offset, limit)
    },
    async find(sequence, id) {
      const outline = await readOutline(catalog, sequence)
      return outline && lookUpSection(outline, id)
    },
    search: (query) => searchIndex(catalog, query, createTexts(catalog)),
    context: (query) => composeFromIndex(catalog, query, createTexts(catalog)),
    slice: async (sequence, part, scope) => slicePack(await open(catalog, sequence), part, scope),
    text: async (sequence, part, scope) => readText(await open(catalog, sequence), part, scope),
  })

  return (catalog, { kind, parameters }) => {
    const read = createReads(catalog)[kind] as (...values: unknown[]) => ReturnType<SectionReads[typeof kind]>
    return read(...parameters)
  }
}

/** Decoded packs that the thread of a reader keeps. */
const MAX_BYTES = 128 * 1024 * 1024

/** The work of that thread, which has one catalog. */
export const work: SectionWork = createSectionWork(MAX_BYTES)
export const sectionWork: ThreadWork<SectionTask, SectionResult<keyof SectionReads>> = {
  module: import.meta.url,
  work,
}

async function openPack(
  catalog: Catalog,
  sequence: number,
  outline: Outline,
): Promise<OpenedPack | undefined> {
  const version = await catalog.packs.read(sequence)
  if (version === undefined) return undefined
  const { title, content, rosetta, compression, tokenizer: name } = openDocument(version)
  const tokenizer = await loadTokenizer(name)
  const body = tryToDecode(content, rosetta, version)
  const end = outline.sections.at(-1)?.end ?? 0
  if (end !== body.length || outline.preview > end) {
    const damaged = { slug: version.slug, version: version.version }
    throw damagedError(`outlines.data does not fit the document of sequence ${sequence}`, { damaged })
  }
  let slicer: Slicer | undefined
  return {
    title,
    body,
    outline,
    tokenizer,
    slicer: () => (slicer ??= createSlicer({ content, rosetta, compression, body, tokenizer })),
    bytes: 2 * body.length + (2 + SLICER_BYTES) * content.length + outline.sections.length * OUTLINE_BYTES,
  }
}

function tryToDecode(content: string, rosetta: string, version: VersionRecord): string {
  try {
    return decode(content, rosetta)
  } catch (error) {
    throw error instanceof CodecError ? undecodableError(version, error) : error
  }
}

/** Hits of a damaged pack have no snippet. */
async function searchIndex(
  { search: { store } }: Catalog,
  query: SearchQuery,
  texts: TextReader,
): Promise<IndexPage> {
  const { damaged, reader } = skipDamaged(texts)
  const page = await search(store, reader, query)
  const hits = page.hits.map((hit) => ({ ...hit, pack: omitSections(hit.pack) }))
  return { ...page, hits, damaged: [...damaged.values()] }
}

async function composeFromIndex(
  { search: { store } }: Catalog,
  { text, tokenizer: name, isQuoted = false, ...options }: ContextQuery,
  texts: TextReader,
): Promise<IndexContext> {
  const tokenizer = await loadTokenizer(name)
  const count = (written: string): number => tokenizer.countTokens(written)
  const measure = (written: string): number =>
    Math.max(count(written), isQuoted ? count(JSON.stringify(written)) : 0)
  const { damaged, reader } = skipDamaged(texts)
  const found = await composeContext(text, { ...options, measure, count }, store, reader)
  return {
    ...found,
    passages: found.passages.map((passage) => ({ ...passage, pack: omitSections(passage.pack) })),
    omitted: found.omitted.map((section) => ({ ...section, pack: omitSections(section.pack) })),
    damaged: [...damaged.values()],
  }
}

/** A list of sections may be long. */
function omitSections(pack: FoundPack): FoundPack {
  return { ...pack, sections: [] }
}

/** Makes a reader find nothing in damaged packs, and lists them. */
function skipDamaged(texts: TextReader): {
  readonly reader: TextReader
  readonly damaged: ReadonlyMap<string, DamagedVersion>
} {
  const damaged = new Map<string, DamagedVersion>()
  const skip = async <T>({ slug, version }: FoundPack, work: Promise<T>, nothing: T): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof CatalogError) || error.code !== 'catalog_damaged') throw error
      damaged.set(slug, { slug, version })
      return nothing
    }
  }
  const reader: TextReader = {
    match: (pack, request) =>
      skip(
        pack,
        texts.match(pack, request),
        request.ordinals.map((ordinal) => ({ ordinal, hasPhrases: false, snippet: null })),
      ),
    read: (pack, ordinals, scope) => skip(pack, texts.read(pack, ordinals, scope), new Map()),
  }
  return { reader, damaged }
}

function matchPack({ title, body, outline }: OpenedPack, request: TextRequest): TextMatch[] {
  const visible = request.scope === 'full' ? body.length : outline.preview
  return matchText({ title, body, sections: outline.sections, visible }, request)
}

/** Returns the sections that the reader may see all of. */
function readSections(
  { body, outline }: OpenedPack,
  ordinals: readonly number[],
  scope: ReadingScope,
): ReadonlyMap<number, string> {
  const visible = scope === 'full' ? body.length : outline.preview
  return new Map(
    ordinals.flatMap((ordinal): [number, string][] => {
      const section = outline.sections[ordinal]
      if (section === undefined || section.end > visible) return []
      return [[ordinal, body.slice(section.start, section.end)]]
    }),
  )
}

/** A reader of the preview gets plain text, because the header is not part of the preview. */
function slicePack(pack: OpenedPack, part: SectionPart, scope: ReadingScope): BodySlice {
  if (scope === 'full') return pack.slicer().slice(part.start, part.end)
  const body = readText(pack, part, scope)
  const plain = { content: body, rosetta: '[DECODE]', compression: 'none', body } as const
  return createSlicer({ ...plain, tokenizer: pack.tokenizer }).slice(0, body.length)
}

function readText({ body, outline }: OpenedPack, { start, end }: SectionPart, scope: ReadingScope): string {
  if (scope === 'preview' && end > outline.preview)
    throw new RangeError('The preview ends before this part of the body')
  return body.slice(start, end)
}
