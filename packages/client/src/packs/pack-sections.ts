import { loadTokenizer } from '@packs/codec/compress'
import {
  listLinkPlaces,
  measurePreview,
  type OutlineLine,
  selectLinks,
  writeOutlineLine,
} from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { type BodySlice, createSlicer, outlineSections } from '@packs/codec/sections'
import { decodePack } from './decode-pack.ts'

/** The headings of a pack, in order, as the API returns them. */
export interface PackOutline {
  readonly slug: string
  readonly version: string
  readonly sections: readonly OutlineLine[]
}

/** A section of a pack, as the API returns it. */
export interface PackSection extends BodySlice {
  readonly slug: string
  readonly version: string
  /** Its id. */
  readonly section: string
  readonly title: string
  readonly path: readonly string[]
  /** The address of each number in the text; absent if the text is the source. */
  readonly links?: Readonly<Record<string, string>>
}

/**
 * Lists the sections of a pack with token counts. Loads the pack's tokenizer.
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
 * Cuts a section out of a pack; undefined if there is none with this id.
 * @param isSubtree whether to include the sections below it
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
  const { title, path, start, subtreeEnd } = found
  const { slug, version, links, minify, url } = pack
  const end = isSubtree ? subtreeEnd : found.end
  const slice = createSlicer({ ...pack, body, tokenizer }).slice(start, end)
  const cut = { slug, version, section, title, path, ...slice }
  const places = links && listLinkPlaces(body, minify?.dialect)
  return places ? { ...cut, links: selectLinks(places, links, { url, start, end }) } : cut
}

async function readSections(pack: Pack) {
  const tokenizer = await loadTokenizer(pack.tokenizer)
  const { body, source = body } = decodePack(pack)
  const sections = outlineSections(body, tokenizer, { source, dialect: pack.minify?.dialect })
  return { sections, body, tokenizer }
}
