import { decode } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import type { OutlinedSection } from '@packs/codec/sections'
import type { Tokenizer, TokenizerName } from '@packs/codec/tokens'
import { MAX_OUTLINE, type OpenedPack, type OutlineEntry } from './pack-source.ts'

export type TokenizerLoader = (name: TokenizerName) => Promise<Tokenizer>

/** A pack document with what it decodes to. */
export interface DecodedPack {
  readonly pack: Pack
  readonly body: string
}

/**
 * Opens a whole pack in memory.
 *
 * @throws CodecError for a pack that does not decode
 */
export function openMemoryPack(
  pack: Pack,
  loadTokenizer: TokenizerLoader,
  body: string = decode(pack.content, pack.rosetta),
): OpenedPack {
  const { slug, version, title, tokenizer, pack_digest: digest, uncompressed_estimate: tokens } = pack
  return openText({ slug, version, digest, title, tokenizer, tokens, isPreview: false }, loadTokenizer, body)
}

/** Opens a text in memory. Its sections are counted on first use. */
export function openText(
  facts: Omit<OpenedPack, 'outline' | 'find' | 'read'>,
  loadTokenizer: TokenizerLoader,
  body: string,
): OpenedPack {
  let sections: Promise<readonly OutlinedSection[]> | undefined
  const listSections = (): Promise<readonly OutlinedSection[]> => (sections ??= countSections())
  const countSections = async (): Promise<readonly OutlinedSection[]> => {
    const { outlineSections } = await import('@packs/codec/sections')
    return outlineSections(body, await loadTokenizer(facts.tokenizer))
  }

  return {
    ...facts,
    async outline() {
      const all = await listSections()
      return {
        sections: all.slice(0, MAX_OUTLINE).map((section) => describeSection(section)),
        total: all.length,
      }
    },
    async find(id) {
      const all = await listSections()
      const found = all.find((section) => section.id === id)
      if (found !== undefined) return { section: describeSection(found), nearest: [] }
      return {
        section: undefined,
        nearest: findNearest(
          id,
          all.map((section) => section.id),
        ),
      }
    },
    async read(part) {
      if (part === undefined) return body
      const found = (await listSections()).find(({ id }) => id === part.id)
      if (found === undefined) throw new Error('Only a section that was found can be read')
      return body.slice(found.start, part.subtree ? found.subtreeEnd : found.end)
    },
  }
}

/**
 * Describes a section for an outline.
 *
 * @param visible offset in the body up to which the reader may see it
 */
export function describeSection(
  { id, title, level, tokens, subtreeTokens, end }: OutlinedSection,
  visible: number = Infinity,
): OutlineEntry {
  return { id, title, level, tokens, subtreeTokens, isOpen: end <= visible }
}

const MAX_COMPARED = 5000
const MAX_NEAREST = 3
/** Names with a lower likeness are not suggested. */
const MIN_LIKENESS = 0.4

/**
 * Returns the names that share most pairs of neighboring characters with another one, by the
 * Sørensen-Dice coefficient.
 */
export function findNearest(unknown: string, names: readonly string[]): readonly string[] {
  const wanted = listPairs(unknown)
  return names
    .slice(0, MAX_COMPARED)
    .map((name) => {
      const pairs = listPairs(name)
      const common = [...pairs].filter((pair) => wanted.has(pair)).length
      return { name, likeness: (2 * common) / (wanted.size + pairs.size) }
    })
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, MAX_NEAREST)
    .map(({ name }) => name)
}

function listPairs(name: string): ReadonlySet<string> {
  const text = ` ${name.slice(0, 200).toLowerCase()} `
  return new Set(Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)))
}
