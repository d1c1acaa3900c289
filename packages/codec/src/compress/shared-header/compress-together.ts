import { decode } from '../../decode/decode.ts'
import { parseRosetta } from '../../rosetta/parse-rosetta.ts'
import { serializeRosetta } from '../../rosetta/serialize-rosetta.ts'
import type { Tokenizer } from '../../tokens/types.ts'
import type { RosettaEntry, Scheme } from '../../types.ts'
import { CompressError } from '../compress-error.ts'
import { checkSize, keepText, proveExact, resolveOptions, type ResolvedOptions } from '../compress.ts'
import { divideEncoding, type TextShare, findUnpaidUses } from './divide-encoding.ts'
import { encodePhrases } from '../encode-text.ts'
import { checkGlossary } from '../candidates/author-glossary.ts'
import { chooseSeparator, splitParts, type TextPart } from '../text/join-texts.ts'
import { prepareText } from '../prepare-text.ts'
import { SCHEME_PLANS } from '../schemes.ts'
import type { Compression, CompressOptions, SharedCompression } from '../types.ts'
import type { Units } from '../text/lex-units.ts'
import type { PhraseSet } from '../candidates/phrase-set.ts'

/**
 * Compresses several texts with one header, so that whoever loads more than one of them pays for it once.
 *
 * The entries are those that save most over all texts loaded together; terms are free in every text. Each text also
 * stands alone, with the entries it needs, and never takes more tokens so than its source: where it would, its least useful
 * entries are withdrawn from it. Alone it may save less than if it had been compressed by itself.
 *
 * @param markdowns 16 MiB of UTF-8 in all at most.
 * @throws {CompressError} as `compress` does; `text` is the index of the text that a term stands in
 * @throws {TokenError} `tokenizer_not_loaded`, `unknown_tokenizer`
 * @example
 * const { compressions, rosetta } = compressTogether([tls, pki], { scheme: 'dense-1' })
 * decode(compressions[1].content, rosetta) // pki; so does its own header, compressions[1].rosetta
 */
export function compressTogether(
  markdowns: readonly string[],
  options: CompressOptions = {},
): SharedCompression {
  const resolved = resolveOptions(options)
  const { scheme, tokenizer, glossary } = resolved
  checkSize(markdowns, 'Share among fewer texts.')
  for (const [text, markdown] of markdowns.entries()) checkGlossaryOf(text, markdown, resolved)
  const named = glossary.flatMap(({ expansion, term = '' }) => [expansion, term])
  const separator = chooseSeparator([...markdowns, ...named])
  const whole =
    scheme === 'none' || separator === undefined || markdowns.length === 0
      ? undefined
      : encodeTexts(markdowns, separator, scheme, resolved)
  const compressions = markdowns.map((markdown, place): Compression => {
    const share = whole?.shares[place]
    if (share === undefined || share.entries.length === 0) return keepText(markdown, tokenizer, [])
    proveExact(share.content, share.rosetta, markdown, scheme)
    return { scheme, tokenizer: tokenizer.name, ...share, optimality: whole!.optimality, notes: [] }
  })
  const rosetta = whole?.rosetta ?? '[DECODE]'
  proveShared(markdowns, compressions, rosetta)
  return {
    compressions,
    rosetta,
    entries: whole?.entries ?? [],
    headerTokens: countHeaders(compressions, tokenizer),
    optimality: whole?.optimality ?? 1,
    notes: whole?.notes ?? [],
  }
}

function checkGlossaryOf(text: number, markdown: string, { glossary }: ResolvedOptions): void {
  try {
    checkGlossary(glossary, markdown)
  } catch (error) {
    if (!(error instanceof CompressError)) throw error
    const { code, message, hint, rule, offsets } = error
    const place = { ...(rule !== undefined && { rule }), ...(offsets.length > 0 && { offsets, text }) }
    throw new CompressError(code, message, hint, place)
  }
}

/** After so many withdrawals a text that still does not pay is left as it is. */
const MOST_ROUNDS = 24

interface WholeEncoding extends Compression {
  readonly shares: readonly TextShare[]
}

function encodeTexts(
  markdowns: readonly string[],
  separator: string,
  scheme: Exclude<Scheme, 'none'>,
  { tokenizer, glossary, code, effort }: ResolvedOptions,
): WholeEncoding {
  const texts = markdowns.map((markdown) => markdown.toWellFormed())
  const counts = texts.map((text, place) => (text === markdowns[place] ? tokenizer.countTokens(text) : 0))
  const joined = texts.join(separator)
  const alone = prepareText(joined, { scheme, tokenizer, glossary, code, separator })
  const set = chargeTexts(alone.set, alone.units, splitParts(joined, separator))
  const prepared = { ...alone, set }
  let shares: TextShare[] = []
  let rounds = 0
  const { compression } = encodePhrases(prepared, SCHEME_PLANS[scheme].steps[effort], (encoding) => {
    shares = divideEncoding(prepared, texts, counts, encoding)
    return findUnpaidUses(prepared, texts, shares, encoding, ++rounds > MOST_ROUNDS)
  })
  return { ...compression, shares }
}

function proveShared(
  markdowns: readonly string[],
  compressions: readonly Compression[],
  rosetta: string,
): void {
  const shared = parseRosetta(rosetta)
  const isExact = compressions.every(({ content }, text) => decode(content, shared) === markdowns[text])
  if (isExact && serializeRosetta(shared) === rosetta) return
  throw new Error(
    'The encoder wrote a shared header that a source does not come back from; please report them',
  )
}

/** Counts the header of the first text, the first two, and so on: a later text's entries stand behind earlier ones'. */
function countHeaders(compressions: readonly Compression[], tokenizer: Tokenizer): number[] {
  const merged = new Map<string, RosettaEntry>()
  return compressions.map(({ entries }) => {
    for (const entry of entries) {
      merged.delete(entry.term)
      merged.set(entry.term, entry)
    }
    return merged.size === 0 ? 0 : tokenizer.countTokens(serializeRosetta({ entries: [...merged.values()] }))
  })
}

/** Part of an entry's cost that each text but one adds that may use it. */
const CHARGE = 0.2

/**
 * Raises the cost of phrases that several of `parts` may use: loaded together they pay for an entry once, but each one that
 * is loaded alone pays for it too. So entries are found that few texts use often rather than many texts once: much
 * better for texts alone, and hardly worse for all together.
 */
export function chargeTexts(set: PhraseSet, units: Units, parts: readonly TextPart[]): PhraseSet {
  const partOf = new Int32Array(units.count)
  for (let unit = 0, place = 0; unit < units.count; unit++) {
    while (place + 1 < parts.length && parts[place + 1]!.start <= units.starts[unit]!) place++
    partOf[unit] = place
  }
  const cost = set.cost.slice()
  for (let phrase = 0; phrase < set.count; phrase++) {
    let others = -1
    let last = -1
    for (let at = set.firstByPhrase[phrase]!; at < set.firstByPhrase[phrase + 1]!; at++) {
      const place = partOf[set.slotStart[set.slotsByPhrase[at]!]!]!
      if (place === last) continue
      last = place
      others++
    }
    if (others > 0) cost[phrase]! *= 1 + CHARGE * others
  }
  return { ...set, cost }
}
