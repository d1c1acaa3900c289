import { openCatalog, openDocument, type Catalog, type NewVersion } from '@packs/catalog'
import { decode } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/tokens'
import {
  composeContext,
  type Context,
  matchText,
  search,
  type SearchPage,
  type TextReader,
} from '@packs/search'
import type { FoundHit, HitCosts } from './measure-quality.ts'

/** A catalog to search. */
export interface SearchedCatalog {
  readonly catalog: Catalog
  readonly search: (text: string) => Promise<SearchPage>
  /** Returns the passages that answer a question within a budget of tokens of o200k_base. */
  readonly context: (question: string, budget: number) => Promise<Context>
}

/** Opens a catalog whose texts are read in this thread. */
export async function openSearch(url: string): Promise<SearchedCatalog> {
  const catalog = await openCatalog({ url })
  const tokenizer = await loadTokenizer('o200k_base')
  const open = async (sequence: number) => {
    const version = await catalog.packs.read(sequence)
    const outline = await catalog.search.outline(sequence)
    if (version === undefined || outline === undefined) throw new Error('A version that was found is missing')
    const { title, content, rosetta } = openDocument(version)
    return { title, body: decode(content, rosetta), sections: outline.sections }
  }
  const texts: TextReader = {
    async match({ sequence }, request) {
      const { title, body, sections } = await open(sequence)
      const { length } = body
      const slice = (start: number, end: number): string => body.slice(start, end)
      return matchText({ title, slice, length, sections, visible: length }, request)
    },
    async read({ sequence }, ordinals) {
      const { body, sections } = await open(sequence)
      return new Map(ordinals.map((at) => [at, body.slice(sections[at]!.start, sections[at]!.end)]))
    },
  }
  const { store } = catalog.search
  const measure = (text: string): number => tokenizer.countTokens(text)
  return {
    catalog,
    search: (text) => search(store, texts, { text, limit: 10, offset: 0, scope: 'full' }),
    context: (question, budget) => composeContext(question, { budget, measure, scope: 'full' }, store, texts),
  }
}

/** Names the packs and sections of a page. */
export function nameHits({ hits }: SearchPage): FoundHit[] {
  return hits.map(({ pack, section, also }) => ({
    slug: pack.slug,
    section: section?.id ?? null,
    also: also.flatMap((beside) => beside.section?.id ?? []),
  }))
}

/** Reads what packs and sections cost, as the catalog has counted it. */
export async function readCosts(
  { packs, search: index }: Catalog,
  versions: readonly NewVersion[],
): Promise<HitCosts> {
  const sections = new Map<string, number>()
  const whole = new Map<string, number>()
  for (const { pack } of versions) {
    const found = await packs.find(pack.slug)
    const outline = found && (await index.outline(found.sequence))
    whole.set(pack.slug, pack.token_count + pack.rosetta_tokens)
    for (const { id, tokens } of outline?.sections ?? []) sections.set(`${pack.slug}#${id}`, tokens)
  }
  return {
    section: (slug, section) => sections.get(`${slug}#${section}`) ?? 0,
    pack: (slug) => whole.get(slug) ?? 0,
  }
}
