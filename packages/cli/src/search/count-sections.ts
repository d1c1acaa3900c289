import type { Pack } from '@packs/codec/pack'
import type { Section } from '@packs/codec/sections'
import type { Tokenizer, TokenizerName } from '@packs/codec/tokens'
import type { FoundSection, SearchHit } from '@packs/search'

/**
 * Adds counts to sections, as far as a search with a limit needs them: 0 for those that are surely within it. A token has at least
 * one byte. The tokenizer is loaded only if something is counted.
 *
 * @param most maximum tokens of a section; undefined for no limit
 */
export async function countSections(
  { tokenizer: name }: Pack,
  body: string,
  sections: readonly Section[],
  most: number | undefined,
): Promise<readonly (Section & FoundSection)[]> {
  let tokenizer: Tokenizer | undefined
  const counted: (Section & FoundSection)[] = []
  for (const section of sections) {
    const text = body.slice(section.start, section.end)
    const isSmall = most === undefined || Buffer.byteLength(text) <= most
    if (!isSmall) tokenizer ??= await loadTokenizer(name)
    counted.push({ ...section, tokens: isSmall ? 0 : tokenizer!.countTokens(text) })
  }
  return counted
}

/** A pack of a hit, with its text and sections. */
interface CountedPack {
  readonly pack: Pack
  readonly body: string
  readonly sections: readonly Section[]
}

/** Counts the tokens of the sections of hits. */
export async function countHits(
  hits: readonly SearchHit[],
  packOf: (hit: SearchHit) => CountedPack,
): Promise<readonly SearchHit[]> {
  const counted: SearchHit[] = []
  for (const hit of hits) {
    const { pack, body, sections } = packOf(hit)
    const count = async (found: FoundSection | null): Promise<FoundSection | null> => {
      const section = sections.find(({ id }) => id === found?.id)
      if (section === undefined) return null
      const { id, title, path, start, end } = section
      const tokenizer = await loadTokenizer(pack.tokenizer)
      return { id, title, path, tokens: tokenizer.countTokens(body.slice(start, end)) }
    }
    const also = []
    for (const other of hit.also) also.push({ ...other, section: await count(other.section) })
    counted.push({ ...hit, section: await count(hit.section), also })
  }
  return counted
}

/** Its modules are not loaded before something is counted. */
async function loadTokenizer(name: TokenizerName): Promise<Tokenizer> {
  const { loadTokenizer: load } = await import('../user-cache/load-tokenizer.ts')
  return load(name)
}
