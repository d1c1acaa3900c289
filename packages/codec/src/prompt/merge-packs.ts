import { decode } from '../decode/decode.ts'
import { type Matcher, matchTerm } from '../decode/match-term.ts'
import { classAt, classBefore, MARK, WORD } from '../decode/word-edge.ts'
import type { RosettaEntry } from '../types.ts'
import { type DecodedPack, decodePack, dropTerms, findTerms } from './decoded-pack.ts'

/** Contents that one header decodes. */
export interface MergedPacks {
  readonly contents: readonly string[]
  readonly entries: readonly RosettaEntry[]
}

/**
 * Finds one header for packs that were built separately, and proves it by decoding each content with it. A pack
 * whose source does not come back is expanded.
 *
 * @throws CodecError for a pack that cannot be decoded by itself
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

/** Joins the headers. A term gets another name if it has another meaning in another pack, or matches in its text. */
function joinHeaders(packs: readonly DecodedPack[]): MergedPacks {
  const written = chooseTerms(packs)
  const joined = new Map<string, string>()
  const contents = packs.map(({ content, entries, terms, matcher, meanings }, index) => {
    const write = (entry: number): string => written[index]![entry] ?? meanings[entry]!
    for (const [entry, { expansion }] of entries.entries()) {
      const term = written[index]![entry]
      if (term === undefined) continue
      // Append at the end, so that every earlier entry can still use the term.
      joined.delete(term)
      joined.set(term, replaceUses(expansion, matcher, terms, write, entry + 1))
    }
    return replaceUses(content, matcher, terms, write)
  })
  return { contents, entries: [...joined].map(([term, expansion]) => ({ term, expansion })) }
}

/** Returns for each entry of each pack the term to write: its own, another one, or undefined to write it out. */
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
        // If a later pack uses the term for something else, the later pack changes it.
        return number === undefined ? !strange[place]!.has(term) : place > index || theirs[number] === meaning
      })
      if (agrees) known.set(meaning, term)
      else clashes.push({ index, entry, uses: uses[entry]! })
      return term
    })
  })

  // The cheapest terms are assigned first, so the most frequent entries get them.
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

/** Estimates whether an entry pays for its pair in the header, without a tokenizer. */
function pays(uses: number, tokens: number, meaning: string): boolean {
  return uses * (meaning.length / 4 - tokens) > meaning.length / 4 + tokens + 1
}

function guessTokens(term: string): number {
  return isWordTerm(term) ? Math.ceil(term.length / 3) : term.length
}

/** Replaces each use of a term by what `replace` returns for its entry. `after` is the parameter of `matchTerm`. */
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

/** Whether both edges of the term are in W. */
function isWordTerm(term: string): boolean {
  return (classAt(term, 0) & classBefore(term, term.length) & WORD) > 0
}

/**
 * Creates a generator of terms that occur nowhere in `texts`, which must be in lower case. For a word it appends
 * letters, so that the new term matches in the same places. For other terms it returns symbols, then pairs of
 * symbols. The first symbol of a pair is used for nothing else, so two terms in a row never read as a third.
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

/** Number of free symbols reserved as the first symbol of pairs. */
const LEADS = 8

// Almost every one of them is one token.
const SYMBOLS = /* @__PURE__ */ Array.from({ length: 220 }, (_, index) =>
  String.fromCharCode(index + (index < 32 ? 0xa0 : 0x3020)),
).filter((symbol) => /[\p{P}\p{S}\p{L}]/u.test(symbol) && !(classAt(symbol, 0) & (WORD | MARK)))

function letter(number: number): string {
  return String.fromCharCode(65 + number)
}
