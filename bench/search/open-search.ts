import { openCatalog, openDocument, type Catalog, type NewVersion } from '@packs/catalog'
import { decode } from '@packs/codec'
import { matchText, search, type SearchPage, type TextReader } from '@packs/search'
import type { FoundHit, HitCosts } from './measure-quality.ts'

/** A catalog to search. */
export interface SearchedCatalog {
  readonly catalog: Catalog
  readonly search: (text: string) => Promise<SearchPage>
}

/** Opens a catalog whose texts are read in this thread. */
export async function openSearch(url: string): Promise<SearchedCatalog> {
  const catalog = await openCatalog({ url })
  const texts: TextReader = {
    async match({ sequence }, request) {
      const version = await catalog.packs.read(sequence)
      const outline = await catalog.search.outline(sequence)
      if (version === undefined || outline === undefined)
        throw new Error('A version that was found is missing')
      const { title, content, rosetta } = openDocument(version)
      const body = decode(content, rosetta)
      return matchText({ title, body, sections: outline.sections, visible: body.length }, request)
    },
  }
  return {
    catalog,
    search: (text) => search(catalog.search.store, texts, { text, limit: 10, offset: 0, scope: 'full' }),
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
