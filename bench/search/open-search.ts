import { createReader, openCatalog, type Catalog, type IndexContext, type NewVersion } from '@packs/catalog'
import type { SearchHit, SearchPage } from '@packs/search'
import type { FoundHit, HitCosts } from './measure-quality.ts'

/** A catalog that is searched as a server does it, in a thread of its own. */
export interface SearchedCatalog {
  readonly catalog: Catalog
  readonly search: (text: string) => Promise<Pick<SearchPage, 'hits'>>
  /** Returns the passages that answer a question within a budget of tokens of o200k_base. */
  readonly context: (question: string, budget: number) => Promise<IndexContext>
  readonly close: () => Promise<void>
}

export async function openSearch(url: string): Promise<SearchedCatalog> {
  const catalog = await openCatalog({ url })
  const reader = createReader(catalog)
  const { sections } = reader.accounts
  return {
    catalog,
    search: (text) => sections.search({ text, limit: 10, offset: 0, scope: 'full' }),
    context: (text, budget) => sections.context({ text, budget, tokenizer: 'o200k_base', scope: 'full' }),
    async close() {
      await reader.close()
      await catalog.close()
    },
  }
}

/** Names the packs and sections of a page. */
export function nameHits({ hits }: { readonly hits: readonly SearchHit[] }): FoundHit[] {
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
