import { inlineBlocks, listLabels } from '../markdown/inlines/inline-blocks.ts'
import { normalizeLabel } from '../markdown/inlines/link-parts.ts'
import { readInlines } from '../markdown/read-inlines.ts'
import { scanDialect } from '../minify/scan-dialect.ts'
import type { Dialect } from '../minify/types.ts'
import { completeAddress, findAddress, isAbsolute, type LinkTable, writeAddress } from './link-address.ts'

/** With a `number`, with the address in place (`inline`), or without (`drop`). */
export type LinkForm = 'number' | 'inline' | 'drop'

/** A link or image of a text whose address is a number. Offsets are in UTF-16 units. */
export interface LinkPlace {
  readonly start: number
  readonly end: number
  /** Of the `]` that ends its words. */
  readonly close: number
  /** Of the number. */
  readonly from: number
  readonly to: number
  readonly number: string
  /** Whether its words in brackets would be other markup. */
  readonly needsAddress: boolean
}

/**
 * Lists the numbered links of a minified text in order, in linear time.
 * @param dialect Of the text, as its pack has it.
 */
export function listLinkPlaces(text: string, dialect: readonly Dialect[] = []): readonly LinkPlace[] {
  return /\]\(\d/.test(text) ? listPlaces(text, dialect, /^[1-9]\d{0,6}$/) : []
}

/** @param address what the address of a link must be */
function listPlaces(text: string, dialect: readonly Dialect[], address: RegExp): LinkPlace[] {
  const table = scanDialect(text, new Set(dialect), { frontMatter: false })
  const labels = listLabels(table)
  const places: LinkPlace[] = []
  for (const { parts } of inlineBlocks(table)) {
    for (const { kind, form, start, end, close, from, to } of readInlines(text, parts, labels)) {
      const number = text.slice(from, to)
      if (form !== 'inline' || !address.test(number)) continue
      const words = text.slice(kind === 'image' ? start + 2 : start + 1, close)
      const needsAddress =
        Array.from(words.slice(0, 4)).length < 2 ||
        /^[!^]/.test(words) ||
        /^[([:]/.test(text.slice(end, end + 1)) ||
        labels.has(normalizeLabel(words))
      places.push({ start, end, close, from, to, number, needsAddress })
    }
  }
  return places.sort((a, b) => a.from - b.from)
}

export interface WriteOptions {
  /** URL of the page, which completes relative addresses. */
  readonly url?: string | undefined
  /** Of the text, as its pack has it. @default [] */
  readonly dialect?: readonly Dialect[] | undefined
}

/** Most UTF-16 units of addresses that are written into a text: as many as a source can have. */
const MAX_WRITTEN = 16_777_216

/**
 * Writes a minified text with its links in a form. Numbers without an address stay, as all do once
 * the addresses are larger than a source can be, and `drop` keeps the address of a link whose words
 * in brackets would be other markup, such as `[x]` and `[!NOTE]`.
 * @example
 * writeLinks('See [a b](1).', ['b.md'], 'drop') // 'See [a b].'
 */
export function writeLinks(
  text: string,
  links: LinkTable,
  form: LinkForm,
  options: WriteOptions = {},
): string {
  if (form === 'number') return text
  const { url, dialect = [] } = options
  const hasLinks = text.includes('](')
  // Few links of a text have no numbers, because these would save nothing.
  const places =
    form === 'inline' ? listLinkPlaces(text, dialect) : hasLinks ? listPlaces(text, dialect, /./) : []
  let room = MAX_WRITTEN
  return replaceRanges(
    text,
    places.map(({ close, end, from, to, number, needsAddress }) => {
      if (form === 'drop' && !needsAddress) return [close + 1, end, '']
      const address = findAddress(links, number)
      const written = address === undefined ? number : writeAddress(completeAddress(address, url))
      room -= written.length
      return [from, to, room < 0 ? number : written]
    }),
  )
}

export interface SelectOptions extends Pick<WriteOptions, 'url'> {
  /** Only of places from this offset on. @default 0 */
  readonly start?: number
  /** Only of places up to this offset. @default Infinity */
  readonly end?: number
}

/** Returns the addresses of the numbers of a text, or of a part of it, by number. */
export function selectLinks(
  places: readonly LinkPlace[],
  links: LinkTable,
  { url, start = 0, end = Infinity }: SelectOptions = {},
): Record<string, string> {
  const selected: Record<string, string> = {}
  for (const { from, to, number } of places) {
    const address = from >= start && to <= end ? findAddress(links, number) : undefined
    if (address !== undefined) selected[number] = completeAddress(address, url)
  }
  return selected
}

export interface LinkedText {
  readonly text: string
  /** Empty if no link of the text is numbered. */
  readonly links: LinkTable
  readonly url?: string | undefined
  readonly dialect?: readonly Dialect[] | undefined
  /** Of what page the text is a part. @default a page of its own */
  readonly page?: string | undefined
}

/** What a pack, or what the API returns of one, says of its links. */
interface LinkingPack {
  readonly slug: string
  readonly links?: LinkTable | undefined
  readonly url?: string | undefined
  readonly minify?: { readonly dialect: readonly Dialect[] } | undefined
}

/** Returns the text of a pack, or a part of it, with what the numbers of its links stand for. */
export function linkText({ slug, links = [], url, minify }: LinkingPack, text: string): LinkedText {
  return { text, links, url, dialect: minify?.dialect, page: slug }
}

/**
 * Numbers the links of several texts together, in the order in which they appear. Addresses that
 * are equal once they are completed share a number; relative ones only within a page.
 * @returns the texts with their new numbers, and the addresses
 */
export function joinLinks(texts: readonly LinkedText[]): {
  readonly texts: readonly string[]
  readonly links: readonly string[]
} {
  if (texts.every(({ links }) => Object.keys(links).length === 0))
    return { texts: texts.map(({ text }) => text), links: [] }
  const numbers = new Map<string, number>()
  const joined: string[] = []
  const written = texts.map(({ text, links, url, dialect, page }, index) =>
    replaceRanges(
      text,
      listLinkPlaces(text, dialect).map(({ from, to, number }) => {
        // A number that names no address is one: beside numbered links it must not be taken for another.
        const address = completeAddress(findAddress(links, number) ?? number, url)
        const key = isAbsolute(address) ? address : `${page ?? index} ${address}`
        const known = numbers.get(key) ?? joined.push(address)
        numbers.set(key, known)
        return [from, to, `${known}`]
      }),
    ),
  )
  return { texts: written, links: joined }
}

type Replacement = readonly [start: number, end: number, text: string]

/** @param ranges that do not overlap, in any order */
function replaceRanges(text: string, ranges: readonly Replacement[]): string {
  let from = 0
  const parts: string[] = []
  for (const [start, end, added] of ranges.toSorted((a, b) => a[0] - b[0])) {
    parts.push(text.slice(from, start), added)
    from = end
  }
  return parts.join('') + text.slice(from)
}
