import { decode } from '../decode/decode.ts'
import { type Matcher, matchTerm } from '../decode/match-term.ts'
import { classAt, classBefore, MARK, WORD } from '../decode/word-edge.ts'
import type { RosettaEntry } from '../types.ts'
import { type DecodedPack, decodePack, dropTerms, findTerms } from './decoded-pack.ts'

/**
 * Finds one header for packs that were built apart, and proves it: each content is decoded with it, and where the source
 * does not come back the pack is given expanded.
 *
 * @throws CodecError for a pack that cannot be decoded by itself.
 */
export function mergePacks(
  packs: readonly { readonly content: string; readonly rosetta: string }[],
): MergedPacks {
  const decoded = packs.map(({ content, rosetta }) => decodePack(content, rosetta))
  for (;;) {
    const merged = joinHeaders(decoded)
    const wrong = decoded.findIndex((pack, index) => !isExact(pack, merged.contents[index]!, merged))
    if (wrong < 0) return merged
    const spoiler = decoded[wrong]!.terms.length ? wrong : decoded.findIndex(({ terms }) => terms.length)
    decoded[spoiler] = dropTerms(decoded[spoiler]!)
  }
}

function isExact({ source }: DecodedPack, content: string, merged: MergedPacks): boolean {
  try {
    return decode(content, merged, { maxOutput: source.length }) === source
  } catch {
    return false
  }
}

/** Contents that one header decodes. */
export interface MergedPacks {
  readonly contents: readonly string[]
  readonly entries: readonly RosettaEntry[]
}

/** Joins the headers of `packs`, with other terms where one of them means or is something else in another pack. */
function joinHeaders(packs: readonly DecodedPack[]): MergedPacks {
  const written = chooseTerms(packs)
  const joined = new Map<string, string>()
  const contents = packs.map(({ content, entries, terms, matcher, meanings }, index) => {
    const write = (entry: number): string => written[index]![entry] ?? meanings[entry]!
    for (const [entry, { expansion }] of entries.entries()) {
      const term = written[index]![entry]
      if (term === undefined) continue
      // The last place, so that every earlier pair that uses the term still can.
      joined.delete(term)
      joined.set(term, replaceUses(expansion, matcher, terms, write, entry + 1))
    }
    return replaceUses(content, matcher, terms, write)
  })
  return { contents, entries: [...joined].map(([term, expansion]) => ({ term, expansion })) }
}

/** For each entry of each pack the term to write: its own, another one, or none where it is written out. */
function chooseTerms(packs: readonly DecodedPack[]): (string | undefined)[][] {
  const texts = packs.map(({ text, source, terms }) => [text, source, ...terms].join('\n')).join('\n')
  const chooseTerm = createTermGenerator(texts.toLowerCase())
  const known = new Map<string, string>()
  const clashes: { index: number; entry: number; uses: number }[] = []

  const written = packs.map((pack, index) => {
    const { content, matcher, terms, meanings } = pack
    const strange = packs.map((other) => findTerms(pack, other.text))
    const uses = terms.map(() => 0)
    replaceUses(content, matcher, terms, (entry) => `${++uses[entry]!}`)
    return terms.map((term, entry): string | undefined => {
      const meaning = meanings[entry]!
      const agrees = packs.every(({ numbers, meanings: theirs }, place) => {
        const number = numbers.get(term)
        // What a later pack means by it is for that one to change.
        return number === undefined ? !strange[place]!.has(term) : place > index || theirs[number] === meaning
      })
      if (agrees) known.set(meaning, term)
      else clashes.push({ index, entry, uses: uses[entry]! })
      return term
    })
  })

  // The cheapest terms come first, so they go where they are used most.
  for (const { index, entry, uses } of clashes.sort((a, b) => b.uses - a.uses)) {
    const term = written[index]![entry]!
    const meaning = packs[index]!.meanings[entry]!
    let other = known.get(meaning)
    if (!other || isWordTerm(other) > isWordTerm(term)) {
      other = pays(uses, 1, meaning) ? chooseTerm(term) : undefined
      if (other && !pays(uses, guessTokens(other), meaning)) other = undefined
      if (other) known.set(meaning, other)
    }
    written[index]![entry] = other
  }
  return written
}

/** Would an entry pay for its pair in the header: by a guess, since no tokenizer is at hand. */
function pays(uses: number, tokens: number, meaning: string): boolean {
  return uses * (meaning.length / 4 - tokens) > meaning.length / 4 + tokens + 1
}

function guessTokens(term: string): number {
  return isWordTerm(term) ? Math.ceil(term.length / 3) : term.length
}

/** Writes something else for each use of a term: what `replace` gives for its entry, with `after` as in `matchTerm`. */
function replaceUses(
  text: string,
  { trie, first }: Matcher,
  terms: readonly string[],
  replace: (entry: number) => string,
  after = 0,
): string {
  let output = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const node = first[text.charCodeAt(at)]!
    const found = node && matchTerm(trie, node, text, at, after, true)
    if (found > 0) {
      output += text.slice(from, at) + replace(found - 1)
      from = at + terms[found - 1]!.length
      at = from - 1
    }
  }
  return output + text.slice(from)
}

/** Is the term a word: both edges in W. */
function isWordTerm(term: string): boolean {
  return (classAt(term, 0) & classBefore(term, term.length) & WORD) > 0
}

/**
 * Creates a source of terms that occur nowhere in `texts`, given in lower case. For a word it adds letters, so that the
 * new term matches in the same places; for others it gives symbols, and pairs of them whose first one is used for that
 * alone, so that no two terms can be read as a third.
 */
function createTermGenerator(texts: string): (old: string) => string | undefined {
  const given = new Set<string>()
  const free = SYMBOLS.filter((symbol) => !texts.includes(symbol))
  const pairs = free.splice(-LEADS).flatMap((lead) => SYMBOLS.map((symbol) => lead + symbol))
  const symbols = [...free, ...pairs].values()
  return (old) => {
    if (!isWordTerm(old)) return symbols.next().value
    for (let number = 0; number < 702; number++) {
      const term = old + (number < 26 ? '' : letter(number / 26 - 1)) + letter(number % 26)
      if (!texts.includes(term.toLowerCase()) && !given.has(term)) {
        given.add(term)
        return term
      }
    }
    return undefined
  }
}

/** Symbols that begin pairs, of those that are free. */
const LEADS = 8

// Nearly each of them is one token.
const SYMBOLS = /* @__PURE__ */ Array.from({ length: 220 }, (_, index) =>
  String.fromCharCode(index + (index < 32 ? 0xa0 : 0x3020)),
).filter((symbol) => /[\p{P}\p{S}\p{L}]/u.test(symbol) && !(classAt(symbol, 0) & (WORD | MARK)))

function letter(number: number): string {
  return String.fromCharCode(65 + number)
}
