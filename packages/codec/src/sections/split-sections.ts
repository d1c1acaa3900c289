import { findHeadings, readInlineText } from '../markdown/find-headings.ts'
import { scanDialect } from '../minify/scan-dialect.ts'
import type { Dialect } from '../minify/types.ts'
import { cutTitle } from '../pack/field-limits.ts'
import type { Tokenizer } from '../tokens/get-tokenizer.ts'

/** A heading and its text up to the next heading (SPEC.md §9.6), in UTF-16 units of the body. */
export interface Section {
  /** Unique in the body; `~intro` for the text before the first heading. */
  readonly id: string
  /** The heading as plain text of at most 300 code points; empty for `~intro`. */
  readonly title: string
  /** From 1 to 6; 0 for `~intro`. */
  readonly level: number
  /** Titles of the headings above it, and its own; empty for `~intro`. */
  readonly path: readonly string[]
  readonly start: number
  readonly end: number
  /** Where the sections below it end too: at the next heading of the same or a higher level. */
  readonly subtreeEnd: number
}

/** A section with its exact token counts as plain text. */
export interface OutlinedSection extends Section {
  readonly tokens: number
  /** Tokens of the text up to `subtreeEnd`, counted as one text. */
  readonly subtreeTokens: number
}

/**
 * Divides a text at its headings, in linear time. Joined in order, the sections are the text; only
 * an empty text has none.
 * @param minified of a minified text: its source, whose ids and titles the sections have
 */
export function splitSections(body: string, minified?: MinifiedFrom): readonly Section[] {
  if (body === '') return []
  const { source = body, dialect = [] } = minified ?? {}
  const { headings: own, starts } = listHeadings(body, dialect)
  const named = source === body ? own : listHeadings(source, dialect).headings
  const isSame = named.length === own.length && named.every(({ level }, at) => level === own[at]!.level)
  const headings = isSame ? named : own
  const ends = [...starts.slice(1), body.length]
  const [first = body.length] = starts
  const hasIntro = headings.length === 0 || body.slice(0, first).trim() !== ''
  if (!hasIntro) return locateSections(headings, ends)
  return locateSections([{ id: '~intro', title: '', level: 0 }, ...headings], [first, ...ends])
}

/** What a text was minified from. */
export interface MinifiedFrom {
  readonly source: string
  /** As the pack has it. @default [] */
  readonly dialect?: readonly Dialect[] | undefined
}

function listHeadings(
  text: string,
  dialect: readonly Dialect[],
): {
  readonly headings: readonly Pick<Section, 'id' | 'title' | 'level'>[]
  readonly starts: readonly number[]
} {
  const table = scanDialect(text, new Set(dialect), { frontMatter: false })
  const starts: number[] = []
  const assignId = createIdAssigner()
  const headings = Array.from(findHeadings(table), ({ level, text: heading, line }) => {
    starts.push(table.starts[line]!)
    const { id, words } = readExplicitId(heading)
    const title = cutTitle(readInlineText(words))
    return { id: assignId(title, id), title, level }
  })
  return { headings, starts }
}

/**
 * Adds paths and offsets, which follow from the levels and ends of sections, in linear time.
 * @param ends the end of each section
 */
export function locateSections<Row extends Pick<Section, 'title' | 'level'>>(
  rows: readonly Row[],
  ends: readonly number[],
): readonly (Row & Pick<Section, 'path' | 'start' | 'end' | 'subtreeEnd'>)[] {
  const open: { readonly title: string; readonly level: number; subtreeEnd: number }[] = []
  const close = (level: number, end: number): void => {
    while (open.length > 0 && open.at(-1)!.level >= level) open.pop()!.subtreeEnd = end
  }
  const sections = rows.map((row, index) => {
    const [start, end] = [ends[index - 1] ?? 0, ends[index]!]
    close(row.level, start)
    const above = row.level > 0 ? [...open, row] : []
    const section = { ...row, path: above.map(({ title }) => title), start, end, subtreeEnd: end }
    if (row.level > 0) open.push(section)
    return section
  })
  close(0, ends.at(-1) ?? 0)
  return sections
}

/**
 * Divides a text into sections and counts the tokens of each, alone and with the sections below it.
 *
 * A text is counted at most once for each level of headings.
 * @param minified of a minified text: its source; see {@link splitSections}
 * @example
 * outlineSections('# A\n\ntext\n\n## B\n', tokenizer).map(({ tokens }) => tokens)
 */
export function outlineSections(
  body: string,
  tokenizer: Tokenizer,
  minified?: MinifiedFrom,
): readonly OutlinedSection[] {
  return splitSections(body, minified).map((section) => {
    const { start, end, subtreeEnd } = section
    const tokens = tokenizer.countTokens(body.slice(start, end))
    const isAlone = subtreeEnd === end
    const subtreeTokens = isAlone ? tokens : tokenizer.countTokens(body.slice(start, subtreeEnd))
    return { ...section, tokens, subtreeTokens }
  })
}

/** Most code points of an id, without the number that makes it unique. */
const MAX_ID = 200

/**
 * Letters, marks, digits, `_`, `.`, `:` and `-`. One of them is a letter, a digit or `_`: an id is
 * part of URLs, where `.` and `..` have a special meaning.
 */
const ID = String.raw`(?=[^{}]*[\p{L}\p{Nd}_])[\p{L}\p{M}\p{Nd}_.:\-]{1,200}`
/** `{#id}` at the end of a heading, or the comment of some MDX sites, `{/*id*\/}`. */
const EXPLICIT = new RegExp(String.raw`(?<!\\)\{(?:#(${ID})|/\* ?(${ID}) ?\*/)\}$`, 'u')
/** UTF-16 units that the longest explicit id can take. */
const LONGEST_EXPLICIT = 2 * MAX_ID + 9

function readExplicitId(heading: string): { readonly words: string; readonly id: string | undefined } {
  const words = heading.trimEnd()
  const found = words.endsWith('}') ? EXPLICIT.exec(words.slice(-LONGEST_EXPLICIT)) : null
  if (found === null) return { words, id: undefined }
  return { words: words.slice(0, -found[0].length), id: found[1] ?? found[2] }
}

/**
 * Creates a function that returns an id for each heading of a text: the explicit one, or one
 * derived from the title as GitHub derives anchors. It adds a number to an id that is taken. The
 * next number of each id is remembered. A number that fails is an existing id, and that id fails
 * for one other id only, so all ids together take linear time.
 */
function createIdAssigner(): (title: string, explicit: string | undefined) => string {
  const taken = new Set<string>()
  const next = new Map<string, number>()
  return (title, explicit) => {
    const base = explicit ?? formAnchor(title)
    let id = base
    if (taken.has(base)) {
      let number = next.get(base) ?? 1
      while (taken.has(`${base}-${number}`)) number++
      next.set(base, number + 1)
      id = `${base}-${number}`
    }
    taken.add(id)
    return id
  }
}

function formAnchor(title: string): string {
  const anchor = title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{Nd}_ -]/gu, '')
    .replaceAll(' ', '-')
  const cut = Array.from(anchor.slice(0, 2 * MAX_ID))
    .slice(0, MAX_ID)
    .join('')
  return cut === '' ? 'section' : cut
}

/** As the API returns it. */
export interface OutlineLine extends Pick<OutlinedSection, 'id' | 'title' | 'path' | 'level' | 'tokens'> {
  readonly subtree_tokens: number
  readonly in_preview: boolean
}

/** Counts of sections that a reader cannot see are rounded up to a multiple of this. */
export const LOCKED_TOKENS = 50

/** An exact count would narrow down a short text that a reader sees only up to `visible`. */
export function hideCounts<T extends OutlinedSection>(section: T, visible: number): T {
  const hide = (tokens: number, end: number): number =>
    end <= visible ? tokens : Math.ceil(tokens / LOCKED_TOKENS) * LOCKED_TOKENS
  const { tokens, end, subtreeTokens, subtreeEnd } = section
  return { ...section, tokens: hide(tokens, end), subtreeTokens: hide(subtreeTokens, subtreeEnd) }
}

/**
 * Returns a section in the form of an outline.
 * @param preview offset in the body where the preview ends
 */
export function writeOutlineLine(
  { id, title, path, level, tokens, subtreeTokens, end }: OutlinedSection,
  preview: number,
): OutlineLine {
  return { id, title, path, level, tokens, subtree_tokens: subtreeTokens, in_preview: end <= preview }
}
