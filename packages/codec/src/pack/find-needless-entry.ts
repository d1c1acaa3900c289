import { decodePack } from '../prompt/decoded-pack.ts'
import type { Pack } from './pack-schema.ts'

/** Most code points of a term that the compressor makes. */
const LONGEST_MADE = 8

/**
 * Finds an entry that no compressor would put into the header of a pack: one that its text does not use, or one whose term is long
 * enough to say something. Decoding does not show either, and a model reads both.
 *
 * @param given terms of a glossary, which may be long
 * @returns the term of the first one; undefined if there is none
 * @throws CodecError for a pack that cannot be decoded
 */
export function findNeedlessEntry(
  { content, rosetta }: Pick<Pack, 'content' | 'rosetta'>,
  given: ReadonlySet<string>,
): string | undefined {
  const divided = decodePack(content, rosetta)
  const used = new Set<number>()
  const add = (parts: readonly (string | number)[]): void => {
    for (const part of parts) if (typeof part === 'number') used.add(part)
  }
  add(divided.content)
  // Also visits what is added on the way: entries that other expansions use.
  for (const entry of used) add(divided.expansions[entry]!)
  return divided.terms.find(
    (term, entry) => !used.has(entry) || (Array.from(term).length > LONGEST_MADE && !given.has(term)),
  )
}
