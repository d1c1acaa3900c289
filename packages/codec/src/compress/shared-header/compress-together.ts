import { decode } from '../../decode/decode.ts'
import { parseRosetta } from '../../rosetta/parse-rosetta.ts'
import { serializeRosetta } from '../../rosetta/serialize-rosetta.ts'
import type { Tokenizer } from '../../tokens/types.ts'
import type { RosettaEntry, Scheme } from '../../types.ts'
import { CompressError } from '../compress-error.ts'
import { checkSize, keepUncompressed, proveExact, resolveOptions, type ResolvedOptions } from '../compress.ts'
import { divideEncoding, type TextShare, findUnprofitableOccurrences } from './divide-encoding.ts'
import { countSteps, encodeText } from '../encode-text.ts'
import { checkGlossary } from '../candidates/check-glossary.ts'
import { chooseSeparator, splitParts, type TextPart } from '../text/join-texts.ts'
import { prepareText } from '../prepare-text.ts'
import type { Compression, CompressOptions, SharedCompression } from '../types.ts'
import type { Units } from '../text/lex-units.ts'
import type { CandidateSet } from '../candidates/candidate-set.ts'

/**
 * Compresses several texts with one header, so that a reader who loads several of them pays for it once.
 *
 * The entries are those that save most if all texts are loaded; no text contains their terms. Each text is also
 * complete by itself, with the entries it needs, and a prompt with it never takes more tokens than its source: if it
 * would, its least useful entries are withdrawn from it. A text may save less than if it were compressed alone.
 *
 * @param markdowns At most 16 MiB of UTF-8 in all.
 * @throws {CompressError} as `compress` does; `text` is the index of the text that contains a term
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
  checkSize(markdowns, 'Share the header among fewer texts.')
  for (const [text, markdown] of markdowns.entries()) checkGlossaryOf(text, markdown, resolved)
  const named = glossary.flatMap(({ expansion, term = '' }) => [expansion, term])
  const separator = chooseSeparator([...markdowns, ...named])
  const whole =
    scheme === 'none' || separator === undefined || markdowns.length === 0
      ? undefined
      : encodeTexts(markdowns, separator, scheme, resolved)
  const compressions = markdowns.map((markdown, index): Compression => {
    const share = whole?.shares[index]
    if (share === undefined || share.entries.length === 0) return keepUncompressed(markdown, tokenizer, [])
    const { entries } = share
    const parts = share.count()
    proveExact(parts.content, parts.rosetta, markdown, scheme)
    return { scheme, tokenizer: tokenizer.name, ...parts, entries, optimality: whole!.optimality, notes: [] }
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
    const details = { ...(rule !== undefined && { rule }), ...(offsets.length > 0 && { offsets, text }) }
    throw new CompressError(code, message, hint, details)
  }
}

/** After this number of withdrawals, a text that still does not pay is left uncompressed. */
const MAX_ROUNDS = 24

interface WholeEncoding extends Compression {
  readonly shares: readonly TextShare[]
}

function encodeTexts(
  markdowns: readonly string[],
  separator: string,
  scheme: Exclude<Scheme, 'none'>,
  { tokenizer, glossary, code, mdx, effort }: ResolvedOptions,
): WholeEncoding {
  const texts = markdowns.map((markdown) => markdown.toWellFormed())
  const counts = texts.map((text, index) => (text === markdowns[index] ? tokenizer.countTokens(text) : 0))
  const joined = texts.join(separator)
  const alone = prepareText(joined, { scheme, tokenizer, glossary, code, mdx, separator })
  const set = weightSharedEntries(alone.set, alone.units, splitParts(joined, separator))
  const prepared = { ...alone, set }
  let shares: TextShare[] = []
  let rounds = 0
  const { compression } = encodeText(prepared, countSteps(prepared, effort), (draft) => {
    shares = divideEncoding(prepared, texts, counts, draft)
    return findUnprofitableOccurrences(prepared, texts, shares, draft, ++rounds > MAX_ROUNDS)
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
    'The encoder produced a shared header that does not decode every content; please report the sources',
  )
}

/**
 * Counts the header of the first text, the first two, and so on. The entries of a later text come after those of
 * earlier ones.
 */
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

/** For each further text that may use an entry, its cost rises by this fraction. */
const SHARED_COST_WEIGHT = 0.2

/**
 * Raises the cost of candidates that occur in several of `parts`. Texts that are loaded together pay for an entry
 * once, but each text that is loaded alone pays for it too. So the selection prefers entries that a few texts use
 * often to entries that many texts use once: much better for texts loaded alone, and hardly worse for all together.
 */
function weightSharedEntries(set: CandidateSet, units: Units, parts: readonly TextPart[]): CandidateSet {
  const partOf = new Int32Array(units.count)
  for (let unit = 0, part = 0; unit < units.count; unit++) {
    while (part + 1 < parts.length && parts[part + 1]!.start <= units.starts[unit]!) part++
    partOf[unit] = part
  }
  const cost = set.cost.slice()
  for (let candidate = 0; candidate < set.count; candidate++) {
    let others = -1
    let last = -1
    for (let at = set.firstByCandidate[candidate]!; at < set.firstByCandidate[candidate + 1]!; at++) {
      const part = partOf[set.occurrenceStart[set.occurrencesByCandidate[at]!]!]!
      if (part === last) continue
      last = part
      others++
    }
    if (others > 0) cost[candidate]! *= 1 + SHARED_COST_WEIGHT * others
  }
  return { ...set, cost }
}
