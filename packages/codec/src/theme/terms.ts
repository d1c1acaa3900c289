import { decode } from '../decode/decode.ts'
import { parseRosetta, serializeRosetta } from '../rosetta/parse-rosetta.ts'
import type { RosettaEntry } from '../types.ts'
import { type Html, type HtmlValue, markup } from './theme.ts'

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
 * @throws RangeError of {@link pickUnusedCharacters}
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
 * @throws RangeError of {@link pickUnusedCharacters}
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
 * @throws RangeError if the text contains nearly all 6,400 of them
 */
export function pickUnusedCharacters(count: number, text: string): string[] {
  const taken = new Set(text.match(/[\uE000-\uF8FF]/g))
  const free: string[] = []
  for (let unit = 0xe000; unit <= 0xf8ff; unit++) {
    const character = String.fromCharCode(unit)
    if (!taken.has(character)) free.push(character)
    if (free.length === count) return free
  }
  throw new RangeError(
    'the pack contains nearly every private-use character, so none is left to mark its entries',
  )
}

/** Returns `at`, or the offset before it if `at` is inside a surrogate pair. */
export function findCutOffset(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at
}

/** Cuts a text to at most `maxLength` UTF-16 units and appends an ellipsis if anything was cut. */
export function truncateText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, findCutOffset(text, maxLength))}…`
}

/** An entry as the pages show it. */
export interface ShownEntry {
  /** As written in the header, with escapes. */
  readonly escapedTerm: string
  readonly escapedExpansion: string
  /** The text that it decodes to, with references to other terms resolved. */
  readonly resolvedExpansion: string
}

/** A `=` in a term is escaped, so the first unescaped one separates term and expansion. */
export function escapeEntry(entry: RosettaEntry): Pick<ShownEntry, 'escapedTerm' | 'escapedExpansion'> {
  const [, pair = ''] = serializeRosetta({ entries: [entry] }).split(/ (.*)/s)
  const [, escapedTerm = '', escapedExpansion = ''] = /^((?:[^\\=]|\\.)*)=(.*)$/s.exec(pair) ?? []
  return { escapedTerm, escapedExpansion }
}

/** A part of a text, and the occurrences of entries in it, in UTF-16 units. */
export interface MarkedPart {
  readonly from: number
  readonly to: number
  readonly marks: readonly { readonly entry: number; readonly from: number; readonly to: number }[]
}

/** How the elements of the entries refer to each other. */
export interface TermLinks {
  /** Prefix of the ids. */
  readonly prefix: string
  /**
   * Whether places are links to the notes, which work without a script, and terms are isolated by
   * elements. Otherwise the entries of the header have the ids, and the style isolates terms.
   */
  readonly isLinked: boolean
}

/** Longest occurrence that is shown in full, in UTF-16 units. */
const MAX_OCCURRENCE_LENGTH = 2000
/** Longest expansion that is shown in full, in UTF-16 units. */
export const MAX_EXPANSION_LENGTH = 400

export interface MarkRendering {
  readonly links: TermLinks
  /** Renders unmarked text, and the text inside of marks. */
  readonly renderText: (from: number, to: number) => Html
  readonly rankOf: (entry: number) => number
  /** Returns the id of a place or an empty string. It is called once for each place. */
  readonly assignId?: ((entry: number) => string) | undefined
}

/** Renders a part of a text with its marks. */
export function renderMarked(text: string, { from, to, marks }: MarkedPart, rendering: MarkRendering): Html {
  const { renderText, rankOf, assignId, links } = rendering
  const parts: Html[] = []
  let at = from
  for (const mark of marks) {
    parts.push(renderText(at, mark.from))
    const shown =
      mark.to - mark.from > MAX_OCCURRENCE_LENGTH
        ? findCutOffset(text, mark.from + MAX_OCCURRENCE_LENGTH)
        : mark.to
    const inner = [renderText(mark.from, shown), shown < mark.to && '…']
    const rank = rankOf(mark.entry)
    const id = assignId?.(mark.entry) ?? ''
    parts.push(
      links.isLinked
        ? markup`<a class="m e${rank}" href="#${links.prefix}k${rank}" tabindex="-1"><bdi>${inner}</bdi></a>`
        : markup`<b class="m e${rank}"${id !== '' && markup` id="${id}"`}>${inner}</b>`,
    )
    at = mark.to
  }
  return markup`${parts}${renderText(at, Math.max(at, to))}`
}

/** Renders the header as written, with each entry as an element that can be hovered. */
export function renderHeaderEntries(
  entries: readonly ShownEntry[],
  ranks: readonly number[],
  { prefix, isLinked }: TermLinks,
): Html[] {
  return entries.map(({ escapedTerm, escapedExpansion }, at) => {
    const [rank, separator] = [ranks[at]!, at > 0 && '|']
    const expansion = isLinked ? escapedExpansion : truncateText(escapedExpansion, MAX_EXPANSION_LENGTH)
    return isLinked
      ? markup`${separator}<a class="k e${rank}" href="#${prefix}k${rank}"><b><bdi>${escapedTerm}</bdi></b>=<bdi>${expansion}</bdi></a>`
      : markup`${separator}<span class="k e${rank}" id="${prefix}k${rank}"><b>${escapedTerm}</b>=${expansion}</span>`
  })
}

/**
 * Renders the note that is shown while an entry is hovered, has the focus or is selected: its
 * expansion and what `about` says.
 *
 * @param rank of the entry, which is the order of the rules in {@link createTermRules}
 */
export function renderTermNote(
  { escapedTerm, resolvedExpansion }: ShownEntry,
  rank: number,
  about: HtmlValue,
  { prefix, isLinked }: TermLinks,
): Html {
  const expansion = truncateText(resolvedExpansion, MAX_EXPANSION_LENGTH)
  const id = isLinked && markup` id="${prefix}k${rank}"`
  const pair = isLinked
    ? markup`<b><bdi>${escapedTerm}</bdi></b> = <bdi>${expansion}</bdi>`
    : markup`<b>${escapedTerm}</b>=${expansion}`
  return markup`<p class="o e${rank}"${id}><span class="te">${pair}</span><span>${about}</span></p>\n`
}
