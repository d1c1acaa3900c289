import { findHeadings, readInlineText } from '../markdown/find-headings.ts'
import { scanLines } from '../markdown/scan-lines.ts'
import { cutTitle } from '../pack/cut-title.ts'
import type { Tokenizer } from '../tokens/types.ts'
import { createIdAssigner, readExplicitId } from './section-ids.ts'

/**
 * A heading and the text up to the next heading of any level (SPEC.md §9.6). Offsets are UTF-16 units of the body.
 */
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
 * Divides the body of a pack at its headings, in linear time. Joined in order, the sections are the body; only an
 * empty body has none.
 *
 * @example
 * splitSections('# Setup\n\ntext\n').map(({ id, level }) => `${level} ${id}`) // ['1 setup']
 */
export function splitSections(body: string): readonly Section[] {
  if (body === '') return []
  const table = scanLines(body, { frontMatter: false })
  const starts: number[] = []
  const assignId = createIdAssigner()
  const headings = Array.from(findHeadings(table), ({ level, text, line }) => {
    starts.push(table.starts[line]!)
    const { id, words } = readExplicitId(text)
    const title = cutTitle(readInlineText(words))
    return { id: assignId(title, id), title, level }
  })
  const ends = [...starts.slice(1), body.length]
  const [first = body.length] = starts
  const hasIntro = headings.length === 0 || body.slice(0, first).trim() !== ''
  if (!hasIntro) return placeSections(headings, ends)
  return placeSections([{ id: '~intro', title: '', level: 0 }, ...headings], [first, ...ends])
}

/**
 * Adds paths and offsets, which follow from the levels and ends of sections, in linear time.
 *
 * @param ends the end of each section
 */
export function placeSections<Row extends Pick<Section, 'title' | 'level'>>(
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
 * Divides a body into sections and counts the tokens of each, alone and with the sections below it.
 *
 * A text is counted at most once for each level of headings.
 *
 * @example
 * outlineSections('# A\n\ntext\n\n## B\n', tokenizer).map(({ tokens }) => tokens)
 */
export function outlineSections(body: string, tokenizer: Tokenizer): readonly OutlinedSection[] {
  return splitSections(body).map((section) => {
    const { start, end, subtreeEnd } = section
    const tokens = tokenizer.countTokens(body.slice(start, end))
    const isAlone = subtreeEnd === end
    const subtreeTokens = isAlone ? tokens : tokenizer.countTokens(body.slice(start, subtreeEnd))
    return { ...section, tokens, subtreeTokens }
  })
}
