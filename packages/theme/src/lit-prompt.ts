import { parseRosetta, type RosettaEntry, serializeRosetta } from '@packs/codec'
import {
  findCutOffset,
  findOccurrences,
  LINKS_SENTENCE,
  listLinkPlaces,
  type Occurrence,
  resolveExpansions,
} from '@packs/codec/internal'
import { type Html, INVISIBLE, markup } from './html.ts'

/** UTF-16 units of a prompt that a page shows; an entry takes as much of the page as so many. */
const MAX_SHOWN = 100_000
const UNITS_PER_ENTRY = 60
/** Share of the units that the text gets at least, however many entries there are. */
const MIN_SHARE = 0.4
/** Entries that are lit, and numbers of links. Longer headers are shown as text. */
const MAX_LIT = 1500
/** Longest place and longest expansion that are shown in full, in UTF-16 units. */
const MAX_PLACE_LENGTH = 2000
const MAX_EXPANSION_LENGTH = 400
/** A prompt as a page shows it, in an element with the class `lit` that holds both parts. */
export interface LitPrompt {
  /** Its text content is the prompt if it `isExact`. */
  readonly text: Html
  /** One note for each entry, and each number of a link, which is shown while it is lit. */
  readonly notes: Html
  readonly entries: number
  /** Whether the element shows all of the prompt, byte for byte. */
  readonly isExact: boolean
  readonly isTruncated: boolean
}

interface LitPromptOptions {
  /** Prefix of the ids. */
  readonly prefix?: string
  /** UTF-16 units that are shown. */
  readonly maxUnits?: number
}

/** What is shown of a prompt. */
interface ShownPrompt {
  readonly text: string
  readonly rosetta: string
  /** Addresses of its numbered links, by number. */
  readonly links?: Readonly<Record<string, string>>
}

/** Renders a prompt with the places of its terms, and of the numbers of its links, marked. */
export function renderLitPrompt(
  { text, rosetta, links = {} }: ShownPrompt,
  { prefix = '~', maxUnits = MAX_SHOWN }: LitPromptOptions = {},
): LitPrompt {
  const { entries } = parseRosetta(rosetta)
  const limit = Math.max(Math.ceil(MIN_SHARE * maxUnits), maxUnits - UNITS_PER_ENTRY * entries.length)
  const isTruncated = text.length > limit
  const shown = isTruncated ? text.slice(0, text.lastIndexOf('\n', limit) + 1 || limit) : text
  // An extended prompt has a second line of entries, which is part of the text.
  const header = /^((?:.*\n){0,2}?)(\[DECODE\] .*)\n/.exec(shown)
  // HTML changes halves of surrogate pairs, and invisible characters are shown by their code points.
  const isShown = text.search(INVISIBLE) < 0 && !/\p{Cs}/u.test(text)
  const rest = { isExact: !isTruncated && isShown, isTruncated }
  const isLit = entries.length > 0 && entries.length <= MAX_LIT && header !== null
  const [, instruction = '', line = ''] = isLit ? header : []
  const body = shown.slice(instruction.length + line.length)
  const lit = isLit ? entries : []
  const places = findOccurrences(isLit ? body : '', lit)
  const expansions = isLit ? resolveExpansions(rosetta) : []
  const counts = lit.map(() => 0)
  for (const { entry } of places) counts[entry]! += 1
  const order = [...lit.keys()].toSorted((a, b) => counts[b]! - counts[a]!)
  const ranks: number[] = []
  for (const [rank, entry] of order.entries()) ranks[entry] = rank
  const written = lit.map(escapeEntry)
  const lineEntries = isLit ? parseRosetta(line).entries.length : 0
  const chips = written.slice(0, lineEntries).map(({ term, expansion }, at) => {
    const rank = ranks[at]!
    return markup`${at > 0 && '|'}<a class="k e${rank}" href="#${prefix}k${rank}"><b><bdi>${term}</bdi></b>=<bdi>${expansion}</bdi></a>`
  })
  const head = isLit
    ? markup`<span class="instruction">${instruction}</span><span class="rosetta" role="region" tabindex="0" aria-label="Header with ${formatCount(lineEntries, 'term')}">[DECODE] ${chips}</span>`
    : markup``
  const notes = order.map((entry, rank) => {
    const count = `${formatCount(counts[entry]!, 'place')}${isTruncated ? ' on this page' : ''}`
    const pair = markup`<b><bdi>${written[entry]!.term}</bdi></b> = <bdi>${cut(expansions[entry]!)}</bdi>`
    return renderNote(rank, pair, count, prefix)
  })
  const numbers = findNumbers(body, links, lit.length)
  const targets = numbers.addresses.map(([number, address], at) =>
    renderNote(lit.length + at, markup`(${number}) = <bdi>${cut(address)}</bdi>`, 'address', prefix),
  )
  return {
    text: markup`${head}${renderPlaces(body, mergePlaces(places, ranks, numbers.places), prefix)}`,
    notes: markup`${notes}${targets}`,
    entries: lit.length + targets.length,
    ...rest,
  }
}

function renderNote(rank: number, pair: Html, about: string, prefix: string): Html {
  return markup`<p class="o e${rank}" id="${prefix}k${rank}"><span class="te">${pair}</span><span>${about}</span></p>\n`
}

/** A part of the text that leads to a note. */
interface LitPlace {
  readonly rank: number
  readonly start: number
  readonly end: number
  /** Shown when it is pointed at. */
  readonly title?: string
}

/** Numbers of links that have an address have ranks of their own after those of terms. */
function findNumbers(
  body: string,
  links: Readonly<Record<string, string>>,
  first: number,
): { readonly places: readonly LitPlace[]; readonly addresses: readonly (readonly [string, string])[] } {
  const ranks = new Map<string, number>()
  const places: LitPlace[] = []
  if (Object.keys(links).length === 0) return { places, addresses: [] }
  // The sentence on numbers has one as an example.
  const at = body.slice(0, 2 * LINKS_SENTENCE.length).indexOf(LINKS_SENTENCE)
  const start = at < 0 ? 0 : at + LINKS_SENTENCE.length
  // A tag would begin HTML, in which there are no links.
  const text = body.replace(/^<\/?doc[^<>\n]*>$/gm, (tag) => ' '.repeat(tag.length))
  for (const { from, to, number } of listLinkPlaces(text)) {
    if (from < start || !Object.hasOwn(links, number) || (!ranks.has(number) && ranks.size === MAX_LIT))
      continue
    const rank = ranks.get(number) ?? first + ranks.size
    ranks.set(number, rank)
    places.push({ rank, start: from, end: to, title: cut(links[number]!) })
  }
  return { places, addresses: [...ranks.keys()].map((number) => [number, links[number]!]) }
}

/** Merges the places of terms with those of numbers that no term divides or holds. */
function mergePlaces(
  terms: readonly Occurrence[],
  ranks: readonly number[],
  numbers: readonly LitPlace[],
): readonly LitPlace[] {
  const all = [
    ...terms.map(({ entry, start, end }): LitPlace => ({ rank: ranks[entry]!, start, end })),
    ...numbers,
  ].toSorted((a, b) => a.start - b.start || b.end - a.end)
  let end = 0
  return all.filter((place) => {
    if (place.start < end) return false
    end = place.end
    return true
  })
}

/** Renders a text with its places as links to the notes, which work without a script. */
function renderPlaces(text: string, places: readonly LitPlace[], prefix: string): Html {
  const parts: Html[] = []
  let at = 0
  for (const { rank, start, end, title } of places) {
    const shown = end - start > MAX_PLACE_LENGTH ? findCutOffset(text, start + MAX_PLACE_LENGTH) : end
    const focus = title === undefined ? markup` tabindex="-1"` : markup` title="${title}"`
    parts.push(
      markup`${text.slice(at, start)}<a class="m e${rank}" href="#${prefix}k${rank}"${focus}><bdi>${text.slice(start, shown)}${shown < end && '…'}</bdi></a>`,
    )
    at = end
  }
  return markup`${parts}${text.slice(at)}`
}

/** Returns the parts of an entry as the header has them: a `=` in a term is escaped there. */
function escapeEntry(entry: RosettaEntry): { readonly term: string; readonly expansion: string } {
  const [, pair = ''] = serializeRosetta({ entries: [entry] }).split(/ (.*)/s)
  const [, term = '', expansion = ''] = /^((?:[^\\=]|\\.)*)=(.*)$/s.exec(pair) ?? []
  return { term, expansion }
}

function cut(text: string): string {
  return text.length <= MAX_EXPANSION_LENGTH
    ? text
    : `${text.slice(0, findCutOffset(text, MAX_EXPANSION_LENGTH))}…`
}

function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}
