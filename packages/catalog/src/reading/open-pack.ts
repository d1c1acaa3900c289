import { CodecError, decode } from '@packs/codec'
import type { Tokenizer } from '@packs/codec/compress'
import {
  type LinkForm,
  type LinkedText,
  linkText,
  listLinkPlaces,
  selectLinks,
  writeLinks,
} from '@packs/codec/internal'
import { createSlicer, type BodySlice, type OutlinedSection, type Slicer } from '@packs/codec/sections'
import type { ReadingScope } from '@packs/search'
import type { Catalog } from '../open-catalog.ts'
import { undecodableError } from '../packs/read-versions.ts'
import { damagedError, openDocument } from '../packs/version-row.ts'
import type { Outline } from '../search-index/describe-version.ts'
import type { VersionRecord } from '../types.ts'
import { loadSharedTokenizer } from './create-catalog-thread.ts'

/** Where a section begins and ends in the body of its version. */
export type SectionPart = Pick<OutlinedSection, 'start' | 'end'>

/** A part of a text, with the address of each number in it, completed by the URL of the page. */
export interface LinkedSlice extends BodySlice {
  /** Absent for other forms of links than numbers, and if the text is the source. */
  readonly links?: LinkedText['links']
}

export interface OpenedPack extends Pick<VersionRecord, 'slug' | 'version' | 'title' | 'pack_digest'> {
  readonly body: string
  readonly outline: Outline
  readonly tokenizer: Tokenizer
  readonly isMinified: boolean
  linkPart(part: SectionPart): LinkedText
  /** Slices the pack. It is prepared when it is first used. */
  slicer(): Slicer
  readonly bytes: number
}

/** Memory of a prepared slicer for each character of the content, besides the texts. */
const SLICER_BYTES = 8
/** Memory of a section, and of a numbered link. */
export const OUTLINE_BYTES = 400
const PLACE_BYTES = 150
export async function openPack(
  catalog: Catalog,
  sequence: number,
  outline: Outline,
): Promise<OpenedPack | undefined> {
  const version = await catalog.packs.read(sequence)
  if (version === undefined) return undefined
  const pack = openDocument(version)
  const { slug, title, pack_digest, content, rosetta, compression, tokenizer: name, links = [], url } = pack
  const tokenizer = await loadSharedTokenizer(name)
  const body = tryToDecode(content, rosetta, version)
  const end = outline.sections.at(-1)?.end ?? 0
  if (end !== body.length || outline.preview > end) {
    const damaged = { slug, version: version.version }
    throw damagedError(`outlines.data does not fit the document of sequence ${sequence}`, { damaged })
  }
  let slicer: Slicer | undefined
  const places = links.length === 0 ? [] : listLinkPlaces(body, pack.minify?.dialect)
  const linkBytes = links.reduce((sum, address) => sum + 2 * address.length, PLACE_BYTES * places.length)
  return {
    slug,
    version: version.version,
    title,
    pack_digest,
    body,
    outline,
    tokenizer,
    isMinified: pack.minify !== undefined,
    linkPart({ start, end }) {
      const own = selectLinks(places, links, { url, start, end })
      return linkText({ ...pack, links: own }, body.slice(start, end))
    },
    slicer: () => (slicer ??= createSlicer({ content, rosetta, compression, body, tokenizer })),
    bytes:
      2 * body.length +
      (2 + SLICER_BYTES) * content.length +
      outline.sections.length * OUTLINE_BYTES +
      linkBytes,
  }
}

function tryToDecode(content: string, rosetta: string, version: VersionRecord): string {
  try {
    return decode(content, rosetta)
  } catch (error) {
    throw error instanceof CodecError ? undecodableError(version, error) : error
  }
}

/** A reader of the preview gets plain text, because the header is not part of the preview. */
export function slicePack(
  pack: OpenedPack,
  part: SectionPart,
  scope: ReadingScope,
  form: LinkForm = 'number',
): LinkedSlice {
  const linked = readText(pack, part, scope)
  const links = form === 'number' && pack.isMinified ? { links: linked.links } : {}
  if (form === 'number' && scope === 'full') return { ...pack.slicer().slice(part.start, part.end), ...links }
  const body = writeLinks(linked.text, linked.links, form, linked)
  const plain = { content: body, rosetta: '[DECODE]', compression: 'none', body } as const
  return { ...createSlicer({ ...plain, tokenizer: pack.tokenizer }).slice(0, body.length), ...links }
}

export function readText(pack: OpenedPack, part: SectionPart, scope: ReadingScope): LinkedText {
  if (scope === 'preview' && part.end > pack.outline.preview)
    throw new RangeError('The preview ends before this part of the body')
  return pack.linkPart(part)
}
