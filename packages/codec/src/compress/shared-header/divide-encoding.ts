import { serializeRosetta } from '../../rosetta/serialize-rosetta.ts'
import type { EncodingDraft } from '../encode-text.ts'
import type { PreparedText } from '../prepare-text.ts'
import type { Tokenizer } from '../../tokens/types.ts'
import type { CompressionEntry } from '../types.ts'
import { countMissingSavings, DEFAULT_WORTH_HEADER, type PromptParts } from '../cost/prompt-savings.ts'
import { escapeExpansion } from '../cost/header-costs.ts'

/** The part of a common encoding that belongs to one text: its content, and the entries of the header that it needs. */
export class TextShare {
  readonly content: string
  readonly entries: readonly CompressionEntry[]
  readonly source: number
  private readonly tokenizer: Tokenizer
  private counted: PromptParts | undefined

  /** @param source Tokens of the text. */
  constructor(content: string, entries: readonly CompressionEntry[], source: number, tokenizer: Tokenizer) {
    this.content = content
    this.entries = entries
    this.source = source
    this.tokenizer = tokenizer
  }

  /** Returns the net tokens that the entries save under the cost model. */
  estimateSavings(): number {
    return this.entries.reduce((sum, { net }) => sum + net, 0)
  }

  /** Returns content, header and token counts; the tokens are counted on the first call. */
  count(): PromptParts {
    this.counted ??= this.countParts()
    return this.counted
  }

  private countParts(): PromptParts {
    const { content, entries, source, tokenizer } = this
    const rosetta = serializeRosetta({ entries })
    const headerTokens = entries.length === 0 ? 0 : tokenizer.countTokens(rosetta)
    return {
      content,
      rosetta,
      tokens: { source, content: tokenizer.countTokens(content), rosetta: headerTokens },
    }
  }
}

/** Divides an encoding of `texts`, joined by the separator of `prepared`, among them. */
export function divideEncoding(
  prepared: PreparedText,
  texts: readonly string[],
  sourceTokens: readonly number[],
  draft: EncodingDraft,
): TextShare[] {
  const { tokenizer, countCached, separator = '' } = prepared
  const { content, entries } = draft
  const pickEntries = createEntryPicker(entries, countCached)
  const usages = sumUsages(prepared, texts, draft)
  return content.split(separator).map((own, index) => {
    const picked = pickEntries(usages[index]!)
    return new TextShare(own, picked, sourceTokens[index]!, tokenizer)
  })
}

/** Sums the uses of each term and their savings, by text. */
function sumUsages(
  { set, units }: PreparedText,
  texts: readonly string[],
  { selection: { occurrences }, terms }: EncodingDraft,
): Map<string, TermUsage>[] {
  const usages = texts.map(() => new Map<string, TermUsage>())
  let index = 0
  let limit = texts[0]!.length
  let last = -1
  for (const occurrence of occurrences) {
    const begin = set.occurrenceStart[occurrence]!
    while (units.starts[begin]! > limit) limit += 1 + texts[++index]!.length
    const term = terms.get(set.occurrenceCandidate[occurrence]!)!
    const usage = usages[index]!.get(term) ?? { uses: 0, gross: 0 }
    const gross =
      usage.gross + set.occurrenceSaved[occurrence]! + (begin === last ? set.adjacencyGain[begin]! : 0)
    usages[index]!.set(term, { uses: usage.uses + 1, gross })
    last = set.occurrenceEnd[occurrence]!
  }
  return usages
}

/** How often a term is used, and the tokens that this saves. */
interface TermUsage {
  readonly uses: number
  readonly gross: number
}

/** Returns the entries that a text needs, in their order: those it uses, and those that these refer to. */
type EntryPicker = (usages: ReadonlyMap<string, TermUsage>) => CompressionEntry[]

/** Creates the picker for a header whose entries refer only to later ones (SPEC.md, nesting). */
function createEntryPicker(
  entries: readonly CompressionEntry[],
  countCached: (text: string) => number,
): EntryPicker {
  const references = listReferences(entries)
  // Savings of one reference: without references the entry takes `header`.
  const saved = entries.map(({ term, expansion, header }, index) => {
    const count = references[index]!.length
    return count === 0 ? 0 : (header - countCached(`|${term}=${escapeExpansion(expansion)}|`) + 1) / count
  })
  return (usages) => {
    const counts = new Int32Array(entries.length)
    const credits = new Float64Array(entries.length)
    const picked: CompressionEntry[] = []
    for (const [index, entry] of entries.entries()) {
      const usage = usages.get(entry.term)
      if (usage === undefined && counts[index] === 0) continue
      for (const other of references[index]!) {
        counts[other]!++
        credits[other]! += saved[index]!
      }
      const gross = (usage?.gross ?? 0) + credits[index]!
      const net = gross - entry.header
      picked.push({ ...entry, uses: usage?.uses ?? 0, references: counts[index]!, gross, net })
    }
    return picked
  }
}

/** Lists for each entry the indexes of the entries in its expansion: in an expansion, a term is always a reference. */
function listReferences(entries: readonly CompressionEntry[]): number[][] {
  const indexes = new Map<string, number>()
  for (const [index, { term, references }] of entries.entries()) if (references > 0) indexes.set(term, index)
  const lengths = [...new Set(Array.from(indexes.keys(), (term) => term.length))].sort((a, b) => b - a)
  return entries.map(({ expansion }, index) => {
    const found: number[] = []
    for (let at = 0; at < expansion.length; at++) {
      const length = lengths.find((size) => indexes.get(expansion.slice(at, at + size))! > index)
      if (length === undefined) continue
      found.push(indexes.get(expansion.slice(at, at + length))!)
      at += length - 1
    }
    return found
  })
}

/**
 * Finds the occurrences to withdraw so that a prompt with one of the texts and the entries it needs takes fewer
 * tokens than its source. In a text that does not pay, these are the occurrences of the entries that save least there, as few as
 * possible. Entries that a text did not use stay unused in it. A text of 0 tokens must stay as it is.
 *
 * @param isLast Withdraw all occurrences from a text that does not pay.
 * @returns occurrences; empty if every text pays or uses no entry.
 */
export function findUnprofitableOccurrences(
  { set, units, tokenizer }: PreparedText,
  texts: readonly string[],
  shares: readonly TextShare[],
  { selection, terms }: EncodingDraft,
  isLast: boolean,
): number[] {
  const listAll = (exact: boolean): (Set<string> | undefined)[] =>
    shares.map((share) => (exact || !isClear(share) ? listKept(share, tokenizer, isLast) : undefined))
  // Exact counts decide, but where an estimate is clear they can wait until nothing else is withdrawn.
  let kept = listAll(false)
  if (kept.every((keep) => keep === undefined)) kept = listAll(true)
  if (kept.every((keep) => keep === undefined)) return []
  const found: number[] = []
  for (const candidate of selection.gross.keys()) {
    const term = terms.get(candidate)!
    let index = 0
    let limit = texts[0]!.length
    for (let at = set.firstByCandidate[candidate]!; at < set.firstByCandidate[candidate + 1]!; at++) {
      const occurrence = set.occurrencesByCandidate[at]!
      while (units.starts[set.occurrenceEnd[occurrence]!]! > limit) limit += 1 + texts[++index]!.length
      if (kept[index]?.has(term) === false) found.push(occurrence)
    }
  }
  return found
}

/** A loss below this fraction of the source is regained at once. */
const FEW = 0.002

/** A text pays without doubt if the model says that it saves this fraction of its source, and the tokens of an instruction. */
const CLEAR = 0.1
const CLEAR_TOKENS = 256

function isClear(share: TextShare): boolean {
  return share.estimateSavings() > Math.max(CLEAR_TOKENS, CLEAR * share.source)
}

/** Returns the terms that a text keeps; undefined if it pays as it is. */
function listKept(share: TextShare, tokenizer: Tokenizer, isLast: boolean): Set<string> | undefined {
  const { entries, source } = share
  if (entries.length === 0) return undefined
  const lost = countMissingSavings(share.count(), tokenizer, DEFAULT_WORTH_HEADER)
  if (lost <= 0) return undefined
  if (isLast || source === 0) return new Set()
  const order = entries.filter(({ uses }) => uses > 0).toSorted((a, b) => priceOf(a) - priceOf(b))
  // Half of it: entries that other texts drop too may disappear entirely, which also helps this text.
  const missing = lost > FEW * source ? lost / 2 : lost
  let regained = 0
  let dropped = 0
  while (regained < missing && dropped < order.length && order[dropped]!.net < 0) {
    regained -= order[dropped++]!.net
  }
  if (regained < missing) dropped = Math.max(dropped, Math.ceil(order.length / 3))
  return new Set(order.slice(dropped).map(({ term }) => term))
}

/** Returns what all texts together lose for each token that this text regains by dropping the entry. */
function priceOf({ gross, net }: CompressionEntry): number {
  return net < 0 ? gross / -net : Infinity
}
