import { parseRosetta, type RosettaEntry, serializeRosetta } from '@packs/codec'
import { findCutOffset, findOccurrences, type Occurrence, resolveExpansions } from '@packs/codec/internal'
import { type Html, markup } from './html.ts'

/** UTF-16 units of a prompt that a page shows; an entry takes as much of the page as so many. */
const MAX_SHOWN = 100_000
const UNITS_PER_ENTRY = 60
/** Share of the units that the text gets at least, however many entries there are. */
const MIN_SHARE = 0.4
/** Entries that are lit. Longer headers are shown as text. */
const MAX_LIT = 1500
/** Longest place and longest expansion that are shown in full, in UTF-16 units. */
const MAX_PLACE_LENGTH = 2000
const MAX_EXPANSION_LENGTH = 400
/** Characters that HTML changes, or that are shown by their code points. */
const ALTERED =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\uD800-\uDFFF\u{E0000}-\u{E007F}\u{E0100}-\u{E01EF}]/u

/** A prompt as a page shows it, in an element with the class `lit` that holds both parts. */
export interface LitPrompt {
  /** Its text content is the prompt if it `isExact`. */
  readonly text: Html
  /** One note for each entry, which is shown while the entry is lit. */
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

/** Renders a prompt with the places of its terms marked. */
export function renderLitPrompt(
  { text, rosetta }: { readonly text: string; readonly rosetta: string },
  { prefix = '~', maxUnits = MAX_SHOWN }: LitPromptOptions = {},
): LitPrompt {
  const { entries } = parseRosetta(rosetta)
  const limit = Math.max(Math.ceil(MIN_SHARE * maxUnits), maxUnits - UNITS_PER_ENTRY * entries.length)
  const isTruncated = text.length > limit
  const shown = isTruncated ? text.slice(0, text.lastIndexOf('\n', limit) + 1 || limit) : text
  // An extended prompt has a second line of entries, which is part of the text.
  const header = /^(.*\n)?(\[DECODE\] .*)\n/.exec(shown)
  const plain = { text: markup`${shown}`, notes: markup``, entries: 0 }
  const rest = { isExact: !isTruncated && !ALTERED.test(text), isTruncated }
  if (entries.length === 0 || entries.length > MAX_LIT || header === null) return { ...plain, ...rest }
  const [, instruction = '', line = ''] = header
  const body = shown.slice(instruction.length + line.length)
  const found = findPlaces(body, rosetta, entries)
  if (found === undefined) return { ...plain, ...rest }
  const { places, expansions } = found
  const counts = entries.map(() => 0)
  for (const { entry } of places) counts[entry]! += 1
  const order = [...entries.keys()].toSorted((a, b) => counts[b]! - counts[a]!)
  const ranks: number[] = []
  for (const [rank, entry] of order.entries()) ranks[entry] = rank
  const written = entries.map(escapeEntry)
  const lineEntries = parseRosetta(line).entries.length
  const chips = written.slice(0, lineEntries).map(({ term, expansion }, at) => {
    const rank = ranks[at]!
    return markup`${at > 0 && '|'}<a class="k e${rank}" href="#${prefix}k${rank}"><b><bdi>${term}</bdi></b>=<bdi>${expansion}</bdi></a>`
  })
  const notes = order.map((entry, rank) => {
    const count = `${formatCount(counts[entry]!, 'place')}${isTruncated ? ' on this page' : ''}`
    const pair = markup`<b><bdi>${written[entry]!.term}</bdi></b> = <bdi>${cut(expansions[entry]!)}</bdi>`
    return markup`<p class="o e${rank}" id="${prefix}k${rank}"><span class="te">${pair}</span><span>${count}</span></p>\n`
  })
  return {
    text: markup`<span class="instruction">${instruction}</span><span class="rosetta" role="region" tabindex="0" aria-label="Header with ${formatCount(lineEntries, 'term')}">[DECODE] ${chips}</span>${renderPlaces(body, places, (entry) => ranks[entry]!, prefix)}`,
    notes: markup`${notes}`,
    entries: entries.length,
    ...rest,
  }
}

/** @returns undefined if the text has nearly every private-use character, so that none can mark */
function findPlaces(
  body: string,
  rosetta: string,
  entries: readonly RosettaEntry[],
): { readonly places: readonly Occurrence[]; readonly expansions: readonly string[] } | undefined {
  try {
    return { places: findOccurrences(body, entries), expansions: resolveExpansions(body, rosetta) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return undefined
  }
}

/** Renders a text with its places as links to the notes, which work without a script. */
function renderPlaces(
  text: string,
  places: readonly Occurrence[],
  rankOf: (entry: number) => number,
  prefix: string,
): Html {
  const parts: Html[] = []
  let at = 0
  for (const { entry, start, end } of places) {
    const shown = end - start > MAX_PLACE_LENGTH ? findCutOffset(text, start + MAX_PLACE_LENGTH) : end
    const rank = rankOf(entry)
    parts.push(
      markup`${text.slice(at, start)}<a class="m e${rank}" href="#${prefix}k${rank}" tabindex="-1"><bdi>${text.slice(start, shown)}${shown < end && '…'}</bdi></a>`,
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
