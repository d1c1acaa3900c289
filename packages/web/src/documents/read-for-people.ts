import { CodecError, decode, restore } from '@packs/codec'
import { splitSections, writeLinks } from '@packs/codec/internal'
import { checkMinified, type Pack } from '@packs/codec/pack'
import type { OutlinedSection } from '@packs/codec/sections'

/** How much of a pack a visitor may see. */
export type Scope = 'full' | 'preview'

/** Returns a pack without what restores its source. */
export function withoutPatch(pack: Pack): Pack {
  if (pack.patch === undefined) return pack
  const { patch: _patch, ...rest } = pack
  return rest
}

/**
 * Drops a patch that would show people another text than models read.
 * @throws CodecError if the pack cannot be decoded
 */
export async function dropWrongPatch(pack: Pack): Promise<Pack> {
  if (pack.patch === undefined) return pack
  try {
    return (await checkMinified(pack)).ok ? pack : withoutPatch(pack)
  } catch (error) {
    if (error instanceof CodecError && error.code === 'invalid_patch') return withoutPatch(pack)
    throw error
  }
}

/**
 * Returns the source; of a preview, and without patch, the text with its addresses in place.
 * @throws CodecError if the pack cannot be decoded
 */
export function readForPeople(pack: Pack, scope: Scope): string {
  if (scope === 'full' && pack.patch !== undefined) return restore(pack)
  return writeAddresses(pack, decode(scope === 'full' ? pack.content : pack.preview_content, pack.rosetta))
}

/** Writes the addresses of a pack into a part of its text for models. */
export function writeAddresses({ links = [], url, minify }: Pack, text: string): string {
  return writeLinks(text, links, 'inline', { url, dialect: minify?.dialect })
}

/** Moves `start` of sections to what people read, Infinity beyond its end; `end` stays. */
export function placeSections(
  sections: readonly OutlinedSection[],
  text: string,
): readonly OutlinedSection[] {
  // Only the source may have something before the first heading, such as a comment.
  const found = splitSections(text).filter(({ level }) => level > 0)
  let at = 0
  return sections.map((section) => {
    if (section.level === 0) return { ...section, start: 0 }
    const { level, start = Infinity } = found[at++] ?? {}
    return { ...section, start: level === section.level ? start : Infinity }
  })
}
