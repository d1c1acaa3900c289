import { parseRosetta, serializeRosetta, type RosettaEntry } from '@packs/codec'
import type { Tokenizer, TokenizerName } from '@packs/codec/compress'
import {
  computeSavingsPercent,
  findCutOffset,
  findOccurrences,
  type Occurrence,
  resolveExpansions,
  tokenizerNames,
} from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'

/** An entry of a header and what it saves and costs, in tokens: net = gross − header. */
export interface EntryMeasure extends RosettaEntry {
  /** Occurrences of the term in the content. */
  readonly uses: number
  /** Occurrences of the term in the expansions of earlier entries. */
  readonly references: number
  /** For each use and reference, the tokens of the expansion in its place minus the term's. */
  readonly gross: number
  /** Tokens of `|term=expansion` with the references in the expansion resolved. */
  readonly header: number
  readonly net: number
}

/**
 * Counts the tokens of each occurrence in its context, once with the term and once expanded. A
 * token may span adjacent occurrences, so the sum may differ slightly from the pack's total.
 */
export function measureEntries(content: string, rosetta: string, tokenizer: Tokenizer): EntryMeasure[] {
  const { entries } = parseRosetta(rosetta)
  const resolved = resolveExpansions(rosetta)
  const measures = entries.map((entry) => ({
    ...entry,
    uses: 0,
    references: 0,
    gross: 0,
    header: tokenizer.countTokens(`|${serializeRosetta({ entries: [entry] }).slice(MARKER.length)}`),
  }))
  for (const occurrence of findOccurrences(content, entries)) {
    const { entry } = occurrence
    measures[entry]!.uses++
    measures[entry]!.gross += measureOccurrence(content, occurrence, resolved[entry]!, tokenizer)
  }
  const expansions = entries.map(({ expansion }) => expansion).join(SEPARATOR)
  let holder = 0
  let holderEnd = entries[0]?.expansion.length ?? 0
  for (const occurrence of findOccurrences(expansions, entries)) {
    while (occurrence.start > holderEnd) holderEnd += 1 + entries[++holder]!.expansion.length
    // Only terms of later entries are references (SPEC.md, nesting).
    if (occurrence.entry <= holder || occurrence.end > holderEnd) continue
    const saved = measureOccurrence(expansions, occurrence, resolved[occurrence.entry]!, tokenizer)
    measures[occurrence.entry]!.references++
    measures[occurrence.entry]!.gross += saved
    measures[holder]!.header += saved
  }
  return measures.map((measure) => ({ ...measure, net: measure.gross - measure.header }))
}

const MARKER = '[DECODE] '
/** Between two expansions: a private-use character, next to which every term matches. */
const SEPARATOR = '\uE000'
/** Longest context on each side, in UTF-16 units; it ends earlier at a safe cut. */
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

/** No token has a space after a non-space, so a cut before such a space changes no count. */
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

/** Token counts of a pack in one tokenizer; `header` is 0 without entries. */
export interface TokenizerCounts {
  readonly tokenizer: TokenizerName
  readonly source: number
  readonly content: number
  readonly header: number
  readonly net_savings_pct: number
}

/** Counts a pack in every tokenizer, the pack's own first. */
export async function countInTokenizers(
  { content, rosetta, rosetta_tokens: paid, tokenizer: own }: Pack,
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
        header: paid === 0 ? 0 : tokenizer.countTokens(rosetta),
      }
      const saved = computeSavingsPercent(counts.content + counts.header, source)
      return { tokenizer: name, ...counts, net_savings_pct: saved }
    }),
  )
}
