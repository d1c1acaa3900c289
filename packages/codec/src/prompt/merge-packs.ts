import { createExpander } from '../decode/create-expander.ts'
import { createTrie, matchTerm } from '../decode/match-term.ts'
import { serializeRosetta } from '../rosetta/serialize-rosetta.ts'
import type { RosettaEntry } from '../types.ts'
import { type DecodedPack, decodePack, type DividedText } from './decoded-pack.ts'
import { createTermGenerator, isWordTerm, SYMBOLS } from './free-terms.ts'

/** Contents that one header decodes. */
export interface MergedPacks {
  readonly contents: readonly string[]
  readonly entries: readonly RosettaEntry[]
  /** What each content decodes to. */
  readonly sources: readonly string[]
  /**
   * For each pack, at most how many tokens more it takes with this header than with its own, in the tokenizers that
   * a pack can name; 0 if it has no terms.
   */
  readonly charges: readonly number[]
}

/**
 * Finds one header for packs that were built separately, and proves it by decoding each content with it. A pack
 * whose source does not come back is expanded. Takes time in proportion to the length of the packs.
 *
 * @param writesOut Write a phrase out if another term for it is not likely to pay.
 * @throws CodecError for a pack that cannot be decoded by itself, with its index; TypeError for a content that is no string
 */
export function mergePacks(
  packs: readonly { readonly content: string; readonly rosetta: string }[],
  writesOut = true,
): MergedPacks {
  const decoded = packs.map((pack, index) => {
    try {
      return decodePack(pack.content, pack.rosetta)
    } catch (error) {
      const message = `pack ${index + 1}: ${(error as Error).message}`
      throw Object.assign(error as Error, { pack: index, message })
    }
  })
  for (let round = 0; ; round++) {
    const merged = joinHeaders(decoded, writesOut)
    const wrong = findWrong(merged)
    if (!wrong.size) return merged
    const withTerms = [...decoded.keys()].filter((index) => decoded[index]!.terms.length)
    let dropped = withTerms.filter((index) => wrong.has(index))
    if (!dropped.length || round > ROUNDS) dropped = withTerms.slice(withTerms.length >> 1)
    for (const index of dropped) decoded[index] = decodePack(decoded[index]!.source, '[DECODE]')
  }
}

/** After this number of rounds, half of the packs are expanded. */
const ROUNDS = 4

/** Returns the indexes of the contents that do not decode to their sources; -1 for an invalid header. */
function findWrong({ contents, sources, ...rosetta }: MergedPacks): Set<number> {
  const wrong = new Set<number>()
  let index = -1
  try {
    serializeRosetta(rosetta)
    // No term holds a line end, so one decoder reads all contents.
    const { expand } = createExpander(rosetta, sources.join('\n').length + 1)
    for (index of sources.keys())
      if (expand(contents[index] + '\n', false) !== sources[index] + '\n') wrong.add(index)
  } catch {
    wrong.add(index)
  }
  return wrong
}

/** How many tokens a pack may take more because other text than its source stands beside its frame and in the header. */
const EDGE = 2

/** Joins the headers. A term gets another name if it has another meaning in another pack, or matches in its text. */
function joinHeaders(packs: readonly DecodedPack[], writesOut: boolean): MergedPacks {
  const written = chooseTerms(packs, writesOut)
  const joined = new Map<string, string>()
  const charges: number[] = []
  const contents = packs.map(({ content, terms, expansions, meanings }, index) => {
    let charge = terms.length && EDGE
    const texts = terms.map((_, entry) => written[index]![entry] ?? meanings[entry]!)
    const costs = texts.map((text, entry) => chargeText(text, terms[entry]!))
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
    sources: packs.map(({ source }) => source),
    charges,
  }
}

/**
 * Returns at most how many tokens more a text takes than the term that it replaces. A token is at least one byte of
 * UTF-8, of which a unit has three at most. Each of our symbols is one token, and letters at the end of a term take
 * at most one token more than their number.
 */
function chargeText(text: string, term: string): number {
  if (text === term) return 0
  if (text.startsWith(term)) return text.length - term.length + 1
  let charge = 0
  for (const unit of text) charge += unit < '\x80' || SYMBOLS.includes(unit) ? 1 : 3 * unit.length
  return charge
}

/** Returns for each entry of each pack the term to write: its own, another one, or undefined to write it out. */
function chooseTerms(packs: readonly DecodedPack[], writesOut: boolean): (string | undefined)[][] {
  const clashes = findClashes(packs)
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

  const chooseTerm = createTermGenerator(
    packs.flatMap(({ text, source, terms }) => [text, source, ...terms]),
    changed.length,
  )
  // The cheapest terms are assigned first, so the most frequent entries get them.
  for (const { index, entry, uses } of changed.sort((a, b) => b.uses - a.uses)) {
    const term = written[index]![entry]!
    const meaning = packs[index]!.meanings[entry]!
    let other = known.get(meaning)
    if (!other || isWordTerm(other) > isWordTerm(term)) {
      other = !writesOut || pays(uses, 1, meaning) ? chooseTerm(term) : undefined
      if (
        other &&
        writesOut &&
        !pays(uses, isWordTerm(other) ? Math.ceil(other.length / 3) : other.length, meaning)
      )
        other = undefined
      if (other) known.set(meaning, other)
    }
    written[index]![entry] = other
  }
  return written
}

/**
 * Tells for each term of each pack whether it clashes: it matches in the text of a pack that does not have it, or
 * an earlier pack uses it for something else. Reads every text once, for the terms of all packs.
 */
function findClashes(packs: readonly DecodedPack[]): boolean[][] {
  const all = new Set(['', ...packs.flatMap((pack) => pack.terms)])
  const terms = [...all]
  const trie = createTrie(terms)
  const strange = new Set<string>()
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
  // The meaning of each term so far; undefined if there are several.
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

/** Estimates whether an entry pays for its pair in the header, without a tokenizer. */
function pays(uses: number, tokens: number, meaning: string): boolean {
  return uses * (meaning.length / 3 - tokens) > meaning.length / 3 + tokens + 1
}
