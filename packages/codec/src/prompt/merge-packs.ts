import { createExpander } from '../decode/create-expander.ts'
import { createTrie, matchTerm } from '../decode/match-term.ts'
import { serializeRosetta } from '../rosetta/parse-rosetta.ts'
import { findOwnScripts, type TermScript } from '../rosetta/term-scripts.ts'
import type { RosettaEntry } from '../types.ts'
import { type DecodedPack, decodePack, type DividedText, expandPack } from './decoded-pack.ts'
import { findMisleading, isLetterOrAcronym, isWordTerm, listClearLetters } from './term-rules.ts'

/** Contents that one header decodes. */
export interface MergedPacks {
  readonly packs: readonly DecodedPack[]
  readonly reserved: string
  readonly contents: readonly string[]
  readonly entries: readonly RosettaEntry[]
  /**
   * For each pack, at most how many more tokens it takes with this header than with its own, in any
   * of the tokenizers that a pack can name; 0 if it has no terms.
   */
  readonly charges: readonly number[]
}

/**
 * Decodes packs that are to share a header.
 *
 * @throws CodecError for a pack that cannot be decoded on its own, with its index; TypeError for a
 *   content that is not a string
 */
export function decodePacks(
  packs: readonly { readonly content: string; readonly rosetta: string }[],
): DecodedPack[] {
  return packs.map((pack, index) => {
    try {
      return decodePack(pack.content, pack.rosetta)
    } catch (error) {
      const message = `pack ${index + 1}: ${(error as Error).message}`
      throw Object.assign(error as Error, { pack: index, message })
    }
  })
}

/**
 * Finds one header for packs that were built separately, and verifies it by decoding each content
 * with it. A pack that does not decode to its source is expanded, and so is one with a term that no
 * encoder chooses today, such as a symbol (SPEC.md §8.6). Takes time in proportion to the length of
 * the packs.
 *
 * @param reserved further text in which no term may match, and whose words cannot be acronyms
 * @param writesOut Write a phrase out if another term for it is not likely to pay.
 */
export function mergePacks(packs: readonly DecodedPack[], reserved: string, writesOut = true): MergedPacks {
  const inputs = [...packs, expandPack(reserved)].map((pack) =>
    pack.terms.every(isLetterOrAcronym) ? pack : expandPack(pack.source),
  )
  const own = findOwnScripts(inputs.map(({ source }) => source))
  for (let round = 0; ; round++) {
    const { contents, entries, charges } = joinHeaders(inputs, own, writesOut)
    const wrong = findWrong(inputs, contents, entries)
    if (!wrong.size) return { packs, reserved, contents: contents.slice(0, packs.length), entries, charges }
    const withTerms = [...inputs.keys()].filter((index) => inputs[index]!.terms.length)
    let dropped = withTerms.filter((index) => wrong.has(index))
    if (!dropped.length || round > ROUNDS) dropped = withTerms.slice(withTerms.length >> 1)
    for (const index of dropped) inputs[index] = expandPack(inputs[index]!.source)
  }
}

/** After this number of rounds, half of the packs are expanded. */
const ROUNDS = 4

/**
 * Returns the indexes of the contents that do not decode to their sources; -1 for an invalid
 * header.
 */
function findWrong(
  packs: readonly DecodedPack[],
  contents: readonly string[],
  entries: readonly RosettaEntry[],
): Set<number> {
  const wrong = new Set<number>()
  let index = -1
  try {
    serializeRosetta({ entries })
    const length = packs.reduce((sum, { source }) => sum + source.length + 1, 1)
    // No term contains a line end, so one decoder can read all contents.
    const { expand } = createExpander({ entries }, length)
    for (index of packs.keys())
      if (expand(contents[index] + '\n', false) !== packs[index]!.source + '\n') wrong.add(index)
  } catch {
    wrong.add(index)
  }
  return wrong
}

/**
 * How many more tokens a pack may take because other text than its source is next to its tags and
 * in the header.
 */
const EDGE = 2

/** Joins the headers. An entry whose term clashes gets another term, or is written out. */
function joinHeaders(
  packs: readonly DecodedPack[],
  own: ReadonlySet<TermScript>,
  writesOut: boolean,
): Pick<MergedPacks, 'contents' | 'entries' | 'charges'> {
  const written = chooseTerms(packs, own, writesOut)
  const joined = new Map<string, string>()
  const charges: number[] = []
  const contents = packs.map(({ content, terms, expansions, meanings }, index) => {
    let charge = terms.length && EDGE
    const texts = terms.map((_, entry) => written[index]![entry] ?? meanings[entry]!)
    const costs = texts.map((text, entry) => (text === terms[entry] ? 0 : countBytes(text)))
    const write = (text: DividedText): string =>
      text
        .map((part) => {
          if (typeof part === 'string') return part
          charge += costs[part]!
          return texts[part]!
        })
        .join('')
    for (const [entry, expansion] of expansions.entries()) {
      const term = written[index]![entry]
      if (term === undefined) continue
      charge += costs[entry]!
      // Append at the end, so that every earlier entry can still use the term.
      joined.delete(term)
      joined.set(term, write(expansion))
    }
    const own = write(content)
    charges.push(charge)
    return own
  })
  return {
    contents,
    entries: [...joined].map(([term, expansion]) => ({ term, expansion })),
    charges,
  }
}

/**
 * Returns an upper bound of the UTF-8 bytes of a text, and so of its tokens. A unit has three bytes
 * at most.
 */
function countBytes(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) bytes += text.charCodeAt(at) < 128 ? 1 : 3
  return bytes
}

/**
 * Returns for each entry of each pack the term to write: its own, another one, or undefined to
 * write it out.
 */
function chooseTerms(
  packs: readonly DecodedPack[],
  own: ReadonlySet<TermScript>,
  writesOut: boolean,
): (string | undefined)[][] {
  const clashes = findClashes(packs, own)
  const known = new Map<string, string>()
  const changed: { index: number; entry: number; uses: number }[] = []
  const written = packs.map(({ content, terms, meanings }, index) => {
    const uses = terms.map(() => 0)
    for (const part of content) if (typeof part === 'number') uses[part]!++
    return terms.map((term, entry): string | undefined => {
      if (clashes[index]![entry]) changed.push({ index, entry, uses: uses[entry]! })
      else known.set(meanings[entry]!, term)
      return term
    })
  })
  if (!changed.length) return written

  const letters = listClearLetters(
    packs.flatMap(({ text, source, terms }) => [text, source, ...terms]),
    own,
  )
  // The first letters take the fewest tokens, so the most frequent entries get them.
  for (const { index, entry, uses } of changed.sort((a, b) => b.uses - a.uses)) {
    const isWord = isWordTerm(written[index]![entry]!)
    const meaning = packs[index]!.meanings[entry]!
    let other = known.get(meaning)
    if (!other || isWordTerm(other) > isWord) {
      // Acronyms are not invented here: the tables of misleading ones are not loaded.
      other = isWord || (writesOut && !pays(uses, meaning)) ? undefined : letters.next().value
      if (other) known.set(meaning, other)
    }
    written[index]![entry] = other
  }
  return written
}

/**
 * Tells for each term of each pack whether it clashes: it would mislead beside one of the sources,
 * it matches in the text of a pack that does not have it, or an earlier pack uses it for something
 * else. Reads every text once, for the terms of all packs.
 */
function findClashes(packs: readonly DecodedPack[], own: ReadonlySet<TermScript>): boolean[][] {
  const all = new Set(['', ...packs.flatMap((pack) => pack.terms)])
  const terms = [...all]
  const trie = createTrie(terms)
  const sources = packs.map(({ source }) => source)
  const strange = findMisleading(terms.slice(1), sources, own)
  for (const pack of packs) {
    const own = new Set(pack.terms)
    const found = new Set<number>()
    for (let at = 0; at < pack.text.length; at++) found.add(matchTerm(trie, pack.text, at, 0, true))
    for (const number of found) {
      // A prefix of a term may match where the term does, but not inside a word.
      for (let term = terms[number] ?? '', end = term.length; end; end--) {
        const prefix = term.slice(0, end)
        if (all.has(prefix) && !own.has(prefix) && !/\w\w/.test(term.slice(end - 1, end + 1)))
          strange.add(prefix)
      }
    }
  }
  // The meaning of each term so far; undefined if it has several.
  const agreed = new Map<string, string | undefined>()
  return packs.map((pack) =>
    pack.terms.map((term, entry) => {
      const meaning = pack.meanings[entry]
      const clashes = agreed.has(term) && agreed.get(term) !== meaning
      agreed.set(term, clashes ? undefined : meaning)
      return clashes || strange.has(term)
    }),
  )
}

/**
 * Estimates whether an entry with a letter pays for its pair in the header, without a tokenizer.
 */
function pays(uses: number, meaning: string): boolean {
  return uses * (meaning.length / 3 - 1) > meaning.length / 3 + 2
}
