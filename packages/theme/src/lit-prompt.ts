import { parseRosetta, type PatchRow, type RosettaEntry, serializeRosetta } from '@packs/codec'
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
  readonly prefix?: string
  readonly maxUnits?: number
}

interface ShownPrompt {
  readonly text: string
  readonly rosetta: string
  /** Addresses of its numbered links, by number. */
  readonly links?: Readonly<Record<string, string>>
  /** What restores the source of a pack: what it inserts is shown struck through. */
  readonly patch?: readonly PatchRow[]
}

/** Renders a prompt with the places of its terms, and of the numbers of its links, marked. */
export function renderLitPrompt(
  { text, rosetta, links = {}, patch = [] }: ShownPrompt,
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
  const rest = { isExact: !isTruncated && isShown && patch.length === 0, isTruncated }
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
    ? markup`<span class="instruction">${instruction}</span><span class="rosetta" role="group" aria-label="Header with ${formatCount(lineEntries, 'term')}">[DECODE] ${chips}</span>`
    : markup``
  const notes = order.map((entry, rank) => {
    const count = `${formatCount(counts[entry]!, 'place')}${isTruncated ? ' on this page' : ''}`
    const pair = markup`<b><bdi>${written[entry]!.term}</bdi></b> = <bdi>${cut(expansions[entry]!)}</bdi>`
    return renderNote(rank, pair, count, prefix)
  })
  const removed = findRemoved(patch, places, expansions, line === '' ? 0 : 1, limit)
  const numbers = findNumbers(body, links, lit.length)
  const targets = numbers.addresses.map(([number, address], at) =>
    renderNote(lit.length + at, markup`(${number}) = <bdi>${cut(address)}</bdi>`, 'address', prefix),
  )
  return {
    text: markup`${head}${renderPlaces(body, mergePlaces(places, ranks, numbers.places), removed, prefix)}`,
    notes: markup`${notes}${targets}`,
    entries: lit.length + targets.length,
    ...rest,
  }
}

function renderNote(rank: number, pair: Html, about: string, prefix: string): Html {
  return markup`<p class="o e${rank}" id="${prefix}k${rank}"><span class="te">${pair}</span><span>${about}</span></p>\n`
}

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

interface RemovedPlace {
  readonly at: number
  readonly text: string
}

/** What minifying took out, at its places in a body whose text begins at `start`. */
function findRemoved(
  patch: readonly PatchRow[],
  terms: readonly Occurrence[],
  expansions: readonly string[],
  start: number,
  limit: number,
): readonly RemovedPlace[] {
  let shift = start
  let next = 0
  let units = 0
  return patch.flatMap(([at, , text]) => {
    // Terms before it are shorter than what they stand for.
    for (; next < terms.length; next++) {
      const { entry, start: from, end } = terms[next]!
      if (from - shift >= at) break
      shift = end - (from - shift + expansions[entry]!.length)
    }
    units += Math.min(text.length, MAX_EXPANSION_LENGTH)
    return text === '' || units > limit ? [] : [{ at: at + shift, text: cut(text) }]
  })
}

/** Renders a text with its places as links to the notes, which work without a script. */
function renderPlaces(
  text: string,
  places: readonly LitPlace[],
  removed: readonly RemovedPlace[],
  prefix: string,
): Html {
  const parts: Html[] = []
  let at = 0
  let next = 0
  const addText = (end: number): void => {
    for (; next < removed.length && removed[next]!.at <= end; next++) {
      const place = removed[next]!
      parts.push(markup`${text.slice(at, Math.max(at, place.at))}<del>${place.text}</del>`)
      at = Math.max(at, place.at)
    }
    parts.push(markup`${text.slice(at, end)}`)
  }
  for (const { rank, start, end, title } of places) {
    const shown = end - start > MAX_PLACE_LENGTH ? findCutOffset(text, start + MAX_PLACE_LENGTH) : end
    const focus = title === undefined ? markup` tabindex="-1"` : markup` title="${title}"`
    addText(start)
    parts.push(
      markup`<a class="m e${rank}" href="#${prefix}k${rank}"${focus}><bdi>${text.slice(start, shown)}${shown < end && '…'}</bdi></a>`,
    )
    at = end
  }
  addText(text.length)
  return markup`${parts}`
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

/** Sets the variables that light an element of an entry, and that show its note. */
export const LIT = '--mark:var(--on);--mark-ink:var(--on-ink);--mark-edge:var(--on-edge);--note:flex'

const STYLE = `
:root{--tint:var(--saved);--tint-edge:#6fb0a7;--on:#ffd84d;--on-ink:#1d1600;--on-edge:#8a6500}
@media (prefers-color-scheme:dark){:root{--tint-edge:#3f857c;--on:#f2c230;--on-ink:#191200;--on-edge:#fff0b3}}
.te{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;tab-size:4;font-family:var(--mono);font-size:.8125rem;max-height:7.5rem;overflow:hidden}
.k{unicode-bidi:isolate;color:var(--mark-ink,var(--ink));background:var(--mark,transparent);border-radius:3px;text-decoration:none;cursor:pointer}.k b{color:var(--mark-ink,var(--ink))}
.m{font-weight:inherit;border-radius:2px;background:var(--mark,var(--tint));color:var(--mark-ink,inherit);box-shadow:0 1px 0 var(--mark-edge,var(--tint-edge));text-decoration:none;cursor:pointer;-webkit-box-decoration-break:clone;box-decoration-break:clone}.lit del{color:var(--quiet);background:var(--saved);text-decoration-color:var(--gain)}.lit del+.m{margin-inline-start:.3em}.m.at{outline:2px solid var(--on-edge);outline-offset:1px}
.x{font-style:normal;font-size:.8em;padding:0 .2em;border-radius:2px;background:var(--bad);color:var(--paper);unicode-bidi:isolate;white-space:nowrap}
.o{display:var(--note,none);flex-wrap:wrap;gap:.1rem 1.5rem;justify-content:space-between;margin:0;padding:.6rem 1rem;background:var(--on);color:var(--on-ink);border-radius:var(--radius) var(--radius) 0 0;font-size:.925rem;box-shadow:0 -2px 12px #0003}
.o:target{display:flex}
.on{${LIT}}
@media (forced-colors:active){.m{text-decoration:underline}.on{forced-color-adjust:none}}
`

/**
 * Styles the entries of a header and their places in texts. Without a script, an entry is lit
 * everywhere while one of its elements is hovered, has the focus or is the target of a link.
 * @param entries how many entries of each text, best first, are lit without a script
 */
export function createTermStyle(entries: number): string {
  const rules = Array.from(
    { length: entries },
    (_, rank) => `.lit:has(.e${rank}:is(:hover,:focus-within,:target)) .e${rank}`,
  )
  return `${STYLE}@media (scripting:none){${rules.join(',')}{${LIT}}}\n`
}

/**
 * Marks hovered entries with a class, which is faster in large texts than the rules. A click or tap
 * selects an entry; the keys n and p go through its places, arrows through the entries.
 */
export const TERM_SCRIPT: string = `'use strict'
{
  let [kept, marked, use, isPressed] = [null, [], -1, false]
  const find = (start) => {
    for (let node = start; node instanceof Element; node = node.parentElement) {
      const name = /(?:^| )(e\\d+)(?: |$)/.exec(node.getAttribute('class') ?? '')?.[1]
      if (name !== undefined) return { name, lit: node.closest('.lit') ?? document.body }
    }
    return null
  }
  const isSame = (a, b) => a !== null && b !== null && a.name === b.name && a.lit === b.lit
  const mark = (entry) => {
    for (const node of marked) node.classList.remove('on', 'at')
    marked = entry === null ? [] : [...entry.lit.getElementsByClassName(entry.name)]
    for (const node of marked) node.classList.add('on')
  }
  const keep = (entry) => {
    if (!isSame(entry, kept)) use = -1
    kept = entry
    mark(entry)
  }
  const step = (by) => {
    const uses = marked.filter((node) => node.matches('.m'))
    if (uses.length === 0) return
    use = use < 0 && by < 0 ? uses.length - 1 : (use + by + uses.length) % uses.length
    uses[use].scrollIntoView({ block: 'center' })
    for (const node of uses) node.classList.toggle('at', node === uses[use])
  }
  // The terms of a header, and the numbers of a text, are one stop of the Tab key each.
  const list = (link) => [...(link.closest('.lit') ?? document).querySelectorAll(link.matches('.k') ? '.k' : '.m[title]')]
  const findStop = (node) => node.closest('.k, .m[title]')
  document.addEventListener('mouseover', (event) => mark(find(event.target) ?? kept))
  document.documentElement.addEventListener('mouseleave', () => mark(kept))
  document.addEventListener('pointerdown', () => (isPressed = true))
  document.addEventListener('focusin', (event) => {
    const entry = find(event.target)
    if (entry !== null && !isPressed) keep(entry)
    const stop = findStop(event.target)
    if (stop !== null) for (const link of list(stop)) link.tabIndex = link === stop ? 0 : -1
  })
  document.addEventListener('click', (event) => {
    isPressed = false
    const entry = find(event.target)
    const link = event.target.closest('a, button, input, select, summary')
    if (link?.matches('.m, .k')) event.preventDefault()
    if (link === null || link.matches('.m, .k')) keep(isSame(entry, kept) ? null : entry)
  })
  document.addEventListener('keydown', (event) => {
    isPressed = false
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') keep(null)
    const stop = findStop(event.target)
    const links = stop === null ? [] : list(stop)
    const at = links.indexOf(stop)
    const { key } = event
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }
    if (stop !== null && Object.hasOwn(to, key)) {
      event.preventDefault()
      links[to[key]]?.focus()
    }
    if (event.target.closest('input, textarea, select') !== null) return
    if (event.key === 'n') step(1)
    if (event.key === 'p') step(-1)
  })
  document.documentElement.classList.add('script')
}
`
