import { decode } from '../decode/decode.ts'
import type { Pack } from '../pack/pack-schema.ts'
import { type BodySlice, createSlicer, measurePreview } from './slice-body.ts'
import { type OutlinedSection, outlineSections } from './split-sections.ts'

/** The headings of a pack, in order, as the API returns them. */
export interface PackOutline {
  readonly slug: string
  readonly version: string
  readonly sections: readonly OutlineLine[]
}

/** A section in an outline, as the API returns it. */
export interface OutlineLine extends Pick<OutlinedSection, 'id' | 'title' | 'path' | 'level' | 'tokens'> {
  readonly subtree_tokens: number
  readonly in_preview: boolean
}

/** Writes a section for an outline. @param preview offset in the body where the preview ends */
export function writeOutlineLine(
  { id, title, path, level, tokens, subtreeTokens, end }: OutlinedSection,
  preview: number,
): OutlineLine {
  return { id, title, path, level, tokens, subtree_tokens: subtreeTokens, in_preview: end <= preview }
}

/** A section of a pack, as the API returns it. */
export interface PackSection extends BodySlice {
  readonly slug: string
  readonly version: string
  /** Its id. */
  readonly section: string
  readonly title: string
  readonly path: readonly string[]
}

/**
 * Lists the sections of a pack, counted with its tokenizer, which is loaded.
 *
 * @throws CodecError for a pack that does not decode
 * @example
 * const { sections } = await outlinePack(pack)
 */
export async function outlinePack(pack: Pack): Promise<PackOutline> {
  const { sections } = await readSections(pack)
  const preview = measurePreview(pack)
  return {
    slug: pack.slug,
    version: pack.version,
    sections: sections.map((section) => writeOutlineLine(section, preview)),
  }
}

/**
 * Cuts a section out of a pack; undefined if it has none with this id.
 *
 * @param isSubtree whether the sections below it belong to it
 * @throws CodecError for a pack that does not decode
 * @example
 * const section = await cutSection(pack, 'rotation', true)
 */
export async function cutSection(
  pack: Pack,
  section: string,
  isSubtree = false,
): Promise<PackSection | undefined> {
  const { sections, body, tokenizer } = await readSections(pack)
  const found = sections.find(({ id }) => id === section)
  if (found === undefined) return undefined
  const { title, path, start, end, subtreeEnd } = found
  const slice = createSlicer({ ...pack, body, tokenizer }).slice(start, isSubtree ? subtreeEnd : end)
  return { slug: pack.slug, version: pack.version, section, title, path, ...slice }
}

async function readSections(pack: Pack) {
  // Whoever cuts bodies by other functions of this entry does not load it.
  const { loadTokenizer } = await import('../tokens/load-tokenizer.ts')
  const tokenizer = await loadTokenizer(pack.tokenizer)
  const body = decode(pack.content, pack.rosetta)
  const sections: readonly OutlinedSection[] = outlineSections(body, tokenizer)
  return { sections, body, tokenizer }
}
