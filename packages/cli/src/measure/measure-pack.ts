import { parseRosetta, serializeRosetta, type RosettaEntry, decode } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import { tokenizerNames, type Tokenizer, type TokenizerName } from '@packs/codec/tokens'
import { CliError } from '../cli-error.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'

/** An entry of a header and what it saves and costs, in tokens: net = gross − header. */
export interface EntryMeasure extends RosettaEntry {
  /** Occurrences of the term in the content. */
  readonly uses: number
  /** Occurrences of the term in the expansions of earlier entries. */
  readonly references: number
  /**
   * Saved by all uses and references: for each, the tokens of the expansion in this position minus
   * those of the term.
   */
  readonly gross: number
  /** Tokens of `|term=expansion` with the references in the expansion resolved. */
  readonly header: number
  readonly net: number
}

/**
 * Measures each entry of a pack: counts the tokens of each occurrence in its context, once with the
 * term and once expanded.
 *
 * A token may span adjacent occurrences, so the sum may differ slightly from the pack's total.
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
    // Only terms of later entries are references (SPEC.md, nesting).
    if (occurrence.entry <= holder) continue
    const saved = measureOccurrence(expansions, occurrence, resolved[occurrence.entry]!, tokenizer)
    measures[occurrence.entry]!.references++
    measures[occurrence.entry]!.gross += saved
    measures[holder]!.header += saved
  }
  return measures.map((measure) => ({ ...measure, net: measure.gross - measure.header }))
}

const MARKER = '[DECODE] '
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

/**
 * No token contains a space after a non-space, so cutting a text before such a space does not
 * change its count.
 */
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

/** Token counts of a pack in one tokenizer; `header` is 0 under the scheme `none`. */
export interface TokenizerCounts {
  readonly tokenizer: TokenizerName
  readonly source: number
  readonly content: number
  readonly header: number
  readonly net_savings_pct: number
}

/** Counts a pack in every tokenizer, the pack's own first. */
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

/**
 * A position in the content where decode replaces a term with its expansion; offsets in UTF-16
 * units of the content.
 */
export interface Occurrence {
  /** Index of the entry in the header. */
  readonly entry: number
  readonly start: number
  readonly end: number
}

/**
 * Finds every occurrence of a header's terms in content, in order.
 *
 * It uses the decoder itself, because the expansions do not influence which terms match: each
 * expansion is replaced by the entry's index, written in characters that occur nowhere else, and
 * the indexes are read back from the decoded text.
 *
 * @throws CliError `invalid_pack` of {@link pickUnusedCharacters}
 */
export function findOccurrences(content: string, entries: readonly RosettaEntry[]): Occurrence[] {
  const [delimiter = '', zero = '', one = ''] = pickUnusedCharacters(
    3,
    content + entries.map(({ term }) => term).join(''),
  )
  const write = (number: number): string =>
    delimiter + number.toString(2).replaceAll('0', zero).replaceAll('1', one) + delimiter
  const read = (text: string): number => Number.parseInt(text.replaceAll(zero, '0').replaceAll(one, '1'), 2)
  const marked = decode(content, {
    entries: entries.map(({ term }, at) => ({ term, expansion: write(at) })),
  })
  const occurrences: Occurrence[] = []
  let offset = 0
  for (let at = marked.indexOf(delimiter); at >= 0;) {
    const close = marked.indexOf(delimiter, at + 1)
    const entry = read(marked.slice(at + 1, close))
    const start = at - offset
    const end = start + entries[entry]!.term.length
    occurrences.push({ entry, start, end })
    offset = close + 1 - end
    at = marked.indexOf(delimiter, close + 1)
  }
  return occurrences
}

/**
 * Returns the full expansion of each term of a header, with references to other terms resolved.
 *
 * @param content the content that the header belongs to
 * @throws CliError `invalid_pack` of {@link pickUnusedCharacters}
 */
export function resolveExpansions(content: string, rosetta: string): string[] {
  const { entries } = parseRosetta(rosetta)
  const [separator = ''] = pickUnusedCharacters(1, content + rosetta)
  return decode(entries.map(({ term }) => term).join(separator), rosetta).split(separator)
}

/**
 * Picks private-use characters that do not occur in a text. They are not letters, so a term next to
 * one still matches.
 *
 * @throws CliError `invalid_pack` if the text contains nearly all 6,400 of them
 */
export function pickUnusedCharacters(count: number, text: string): string[] {
  const taken = new Set(text.match(/[\uE000-\uF8FF]/g))
  const free: string[] = []
  for (let unit = 0xe000; unit <= 0xf8ff; unit++) {
    const character = String.fromCharCode(unit)
    if (!taken.has(character)) free.push(character)
    if (free.length === count) return free
  }
  const message = 'the pack contains nearly every private-use character, so none is left to mark its entries'
  throw new CliError('invalid_pack', message, 'use `pack check` and `pack decode` instead')
}

/** Returns `at`, or the offset before it if `at` is inside a surrogate pair. */
export function findCutOffset(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at
}

/** Cuts a text to at most `maxLength` UTF-16 units and appends an ellipsis if anything was cut. */
export function truncateText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, findCutOffset(text, maxLength))}…`
}
