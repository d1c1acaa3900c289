import { parseRosetta, serializeRosetta, type RosettaEntry } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import { loadTokenizer, tokenizerNames, type Tokenizer, type TokenizerName } from '@packs/codec/tokens'
import { findCutOffset } from './truncate-text.ts'
import {
  findOccurrences,
  pickUnusedCharacters,
  resolveExpansions,
  type Occurrence,
} from './find-occurrences.ts'

/** An entry of a header as written there, and what it brings, in tokens: net = gross − header. */
export interface EntryMeasure extends RosettaEntry {
  /** Times the term stands in the content. */
  readonly uses: number
  /** Times the term stands in the expansions of earlier entries. */
  readonly references: number
  /** Saved by uses and references: for each, what its expansion costs in its place more than the term. */
  readonly gross: number
  /** Paid for `|term=expansion`, written without references of its own. */
  readonly header: number
  readonly net: number
}

/**
 * Measures each entry of a pack by counting its uses where they stand, everything around them left as it is.
 *
 * Neighbouring uses share tokens at their seam, so the sum may differ a little from the pack's total.
 */
export function measureEntries(content: string, rosetta: string, tokenizer: Tokenizer): EntryMeasure[] {
  const { entries } = parseRosetta(rosetta)
  const [separator = ''] = pickUnusedCharacters(1, content + rosetta)
  const resolved = resolveExpansions(content, rosetta)
  const measures = entries.map((entry) => ({
    ...entry,
    uses: 0,
    references: 0,
    gross: 0,
    header: tokenizer.countTokens(`|${serializeRosetta({ entries: [entry] }).slice(MARKER.length)}`),
  }))
  for (const occurrence of findOccurrences(content, entries)) {
    measures[occurrence.entry]!.uses++
    measures[occurrence.entry]!.gross += measureOccurrence(
      content,
      occurrence,
      resolved[occurrence.entry]!,
      tokenizer,
    )
  }
  const expansions = entries.map(({ expansion }) => expansion).join(separator)
  let holder = 0
  let holderEnd = entries[0]?.expansion.length ?? 0
  for (const occurrence of findOccurrences(expansions, entries)) {
    while (occurrence.start > holderEnd) holderEnd += 1 + entries[++holder]!.expansion.length
    // Only later entries are references (SPEC.md, nesting).
    if (occurrence.entry <= holder) continue
    const saved = measureOccurrence(expansions, occurrence, resolved[occurrence.entry]!, tokenizer)
    measures[occurrence.entry]!.references++
    measures[occurrence.entry]!.gross += saved
    measures[holder]!.header += saved
  }
  return measures.map((measure) => ({ ...measure, net: measure.gross - measure.header }))
}

const MARKER = '[DECODE] '
/** Most units looked at on each side; text without a space in them is cut there. */
const MAX_CONTEXT = 128

function measureOccurrence(
  text: string,
  { start, end }: Occurrence,
  expansion: string,
  tokenizer: Tokenizer,
): number {
  const before = text.slice(findContextStart(text, start), start)
  const after = text.slice(end, findContextEnd(text, end))
  const term = text.slice(start, end)
  return tokenizer.countTokens(before + expansion + after) - tokenizer.countTokens(before + term + after)
}

/** No token holds a space that follows a non-space, so text may be cut before one without changing its count. */
function isSafeCut(text: string, at: number): boolean {
  return text[at] === ' ' && /\S/.test(text[at - 1] ?? ' ')
}

function findContextStart(text: string, start: number): number {
  for (let at = start - 1; at > start - MAX_CONTEXT && at > 0; at--) if (isSafeCut(text, at)) return at
  return start <= MAX_CONTEXT ? 0 : findCutOffset(text, start - MAX_CONTEXT)
}

function findContextEnd(text: string, end: number): number {
  for (let at = end + 1; at < end + MAX_CONTEXT && at < text.length; at++) if (isSafeCut(text, at)) return at
  return end + MAX_CONTEXT >= text.length ? text.length : findCutOffset(text, end + MAX_CONTEXT)
}

/** A pack counted in a tokenizer; the header is 0 where there is none to pay. */
export interface TokenizerCounts {
  readonly tokenizer: TokenizerName
  readonly source: number
  readonly content: number
  readonly header: number
  readonly net_savings_pct: number
}

/** Counts a pack in every tokenizer, its own first. */
export async function countInTokenizers(
  { compression, content, rosetta, tokenizer: own }: Pack,
  text: string,
): Promise<TokenizerCounts[]> {
  const names = [own, ...tokenizerNames.filter((name) => name !== own)]
  return Promise.all(
    names.map(async (name) => {
      const tokenizer = await loadTokenizer(name)
      const source = tokenizer.countTokens(text)
      const counts = {
        source,
        content: tokenizer.countTokens(content),
        header: compression === 'none' ? 0 : tokenizer.countTokens(rosetta),
      }
      const saved = source === 0 ? 0 : 100 * (1 - (counts.content + counts.header) / source)
      return { tokenizer: name, ...counts, net_savings_pct: Math.round(100 * saved) / 100 }
    }),
  )
}
