import type { TokenizerName } from '@packs/codec/compress'
import type { LinkedText } from '@packs/codec/internal'
import {
  composeContext,
  listReadSections,
  matchText,
  search,
  type Context,
  type ContextOptions,
  type FoundPack,
  type ReadingScope,
  type SearchPage,
  type SearchQuery,
  type SearchStore,
  type TextReader,
} from '@packs/search'
import { CatalogError, type DamagedVersion } from '../catalog-error.ts'
import type { Catalog } from '../open-catalog.ts'
import type { Outline } from '../search-index/describe-version.ts'
import { loadSharedTokenizer } from './create-catalog-thread.ts'

/** A page of hits in the index. Their packs have no list of sections, which may be long. */
export interface IndexPage extends SearchPage {
  readonly damaged: readonly DamagedVersion[]
}

interface OpenedText {
  readonly body: string
  linkPart(part: { readonly start: number; readonly end: number }): LinkedText
}

/** A question, and how much of an answer is wanted. */
export interface ContextQuery extends Omit<ContextOptions, 'measure'> {
  readonly text: string
  readonly tokenizer: TokenizerName
}

/** Passages from the index. Their packs have no list of sections. */
export interface IndexContext extends Context {
  readonly damaged: readonly DamagedVersion[]
}

/** Hits of a damaged pack have no snippet. */
export async function searchIndex(
  store: SearchStore,
  query: SearchQuery,
  texts: TextReader,
): Promise<IndexPage> {
  const { damaged, reader } = skipDamaged(texts)
  const page = await search(store, reader, query)
  const hits = page.hits.map((hit) => {
    const { url: _, ...pack } = showPack(hit.pack, query.scope)
    return { ...hit, pack }
  })
  return { ...page, hits, damaged: [...damaged.values()] }
}

export async function composeFromIndex(
  store: SearchStore,
  { text, tokenizer: name, ...options }: ContextQuery,
  texts: TextReader,
): Promise<IndexContext> {
  const tokenizer = await loadSharedTokenizer(name)
  const measure = (written: string): number => tokenizer.countTokens(written)
  const { damaged, reader } = skipDamaged(texts)
  const found = await composeContext(text, { ...options, measure }, store, reader)
  return {
    ...found,
    passages: found.passages.map((passage) => ({ ...passage, pack: showPack(passage.pack, options.scope) })),
    // What cannot be read is not locked.
    omitted: found.omitted
      .filter(({ pack }) => !damaged.has(pack.slug))
      .map((section) => ({ ...section, pack: showPack(section.pack, options.scope) })),
    damaged: [...damaged.values()],
  }
}

/** A list of sections may be long, and a digest would confirm guesses at what is locked. */
function showPack(pack: FoundPack, scope: ReadingScope): FoundPack {
  return { ...pack, sections: [], ...(scope === 'preview' && { pack_digest: null }) }
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

/** Reads the stored texts of sections, and whole packs only if those are missing or damaged. */
export function createTextReader(
  { search }: Catalog,
  readOutline: (sequence: number) => Promise<Outline>,
  open: (sequence: number) => Promise<OpenedText>,
): TextReader {
  const readSections = async (
    sequence: number,
    { sections }: Outline,
    ordinals: readonly number[],
  ): Promise<(start: number, end: number) => string> => {
    const stored = await search.texts(sequence, ordinals)
    const isRight = (ordinal: number): boolean => {
      const { start, end } = sections[ordinal]!
      return stored?.get(ordinal)?.length === end - start
    }
    if (!ordinals.every(isRight)) {
      const { body } = await open(sequence)
      return (start, end) => body.slice(start, end)
    }
    const cut = (start: number, end: number) => (ordinal: number) => {
      const { start: from } = sections[ordinal]!
      return stored!.get(ordinal)!.slice(Math.max(0, start - from), Math.max(0, end - from))
    }
    return (start, end) => ordinals.map(cut(start, end)).join('')
  }

  return {
    async match({ sequence, title }, request) {
      const outline = await readOutline(sequence)
      const { sections } = outline
      const length = sections.at(-1)?.end ?? 0
      const visible = measureVisible(outline, request.scope)
      const ordinals = listReadSections({ sections, visible }, request.ordinals)
      const slice = await readSections(sequence, outline, ordinals)
      return matchText({ title, slice, length, sections, visible }, request)
    },
    async read({ sequence }, ordinals, scope) {
      const outline = await readOutline(sequence)
      const visible = measureVisible(outline, scope)
      const seen = ordinals.filter((ordinal) => (outline.sections[ordinal]?.end ?? Infinity) <= visible)
      const slice = await readSections(sequence, outline, seen)
      const read = new Map<number, LinkedText>()
      for (const ordinal of seen) {
        const part = outline.sections[ordinal]!
        const text = slice(part.start, part.end)
        const hasNumbers = /\]\([1-9]/.test(text)
        read.set(ordinal, hasNumbers ? (await open(sequence)).linkPart(part) : { text, links: [] })
      }
      return read
    },
  }
}

function measureVisible({ preview, sections }: Outline, scope: ReadingScope): number {
  return scope === 'full' ? (sections.at(-1)?.end ?? 0) : preview
}
