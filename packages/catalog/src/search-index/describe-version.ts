import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { CodecError, decode } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import { measurePreview, outlineSections } from '@packs/codec/sections'
import { loadTokenizer } from '@packs/codec/tokens'
import { describePack, encodeVector } from '@packs/search'
import { cleanText } from '../database/normalize-text.ts'
import type { Outline } from './outline-data.ts'
import { encodeOutline } from './outline-data.ts'

/** What the index stores of a version, except that its terms have no numbers yet. A release holds this of all its versions. */
export interface DescribedVersion {
  /** As `encodeOutline` writes it. */
  readonly outline: string
  readonly filters: readonly string[]
  /** In the order of their first use, joined by line feeds. */
  readonly terms: string
  /** The shortest word of each term, in the same order; an empty line for none. */
  readonly words: string
  readonly entries: readonly DescribedEntry[]
}

interface DescribedEntry {
  readonly ordinal: number
  readonly tokens: number
  /** Its numbers are places in `terms`. */
  readonly vector: Uint8Array
}

/** Returns the terms of a described version. */
export function splitLines(lines: string): string[] {
  return lines === '' ? [] : lines.split('\n')
}

/** Decodes a pack and finds its sections. @throws CodecError */
export async function outlinePack(pack: Pack): Promise<Outline & { readonly body: string }> {
  const tokenizer = await loadTokenizer(pack.tokenizer)
  const body = decode(pack.content, pack.rosetta)
  return { body, preview: measurePreview(pack), sections: outlineSections(body, tokenizer) }
}

/**
 * Describes a version for the index. This can take longer than the commit, so it is done before the transaction.
 *
 * @throws CodecError if the pack cannot be decoded
 */
export async function describeVersion(pack: Pack): Promise<DescribedVersion> {
  const outline = await outlinePack(pack)
  const { entries, filters, words } = describePack(pack, outline.body, outline.sections)
  const numbers = new Map<string, number>()
  const numberOf = (term: string): number => {
    const known = numbers.get(term)
    if (known !== undefined) return known
    numbers.set(term, numbers.size)
    return numbers.size - 1
  }
  const described = entries.map(({ ordinal, tokens, length, terms }): DescribedEntry => {
    const occurrences = new Map(
      Array.from(terms, ([term, occurrence]) => [numberOf(cleanText(term)), occurrence]),
    )
    return { ordinal, tokens, vector: encodeVector({ length, occurrences }) }
  })
  const terms = [...numbers.keys()]
  return {
    outline: encodeOutline(outline),
    filters: filters.map(cleanText),
    terms: terms.join('\n'),
    words: terms.map((term) => cleanText(words.get(term) ?? '')).join('\n'),
    entries: described,
  }
}

/**
 * Describes versions one after another, and lets other work of the process run in between. `undefined` stands for a pack that
 * cannot be decoded, which is then not found by searches.
 */
export async function describeVersions(
  packs: readonly Pack[],
): Promise<readonly (DescribedVersion | undefined)[]> {
  const described: (DescribedVersion | undefined)[] = []
  for (const pack of packs) {
    described.push(await tryToDescribe(pack))
    await yieldToOthers()
  }
  return described
}

async function tryToDescribe(pack: Pack): Promise<DescribedVersion | undefined> {
  try {
    return await describeVersion(pack)
  } catch (error) {
    if (error instanceof CodecError) return undefined
    throw error
  }
}
