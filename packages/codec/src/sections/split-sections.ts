import { findHeadings, type Heading, readInlineText } from '../markdown/find-headings.ts'
import type { LineTable } from '../markdown/line-table.ts'
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
  const headings = [...findHeadings(table)]
  const starts = headings.map(({ line }) => table.starts[line]!)
  const first = starts[0] ?? body.length
  const hasIntro = headings.length === 0 || body.slice(0, first).trim() !== ''
  if (!hasIntro) starts[0] = 0
  const sections = addSections(headings, starts, table)
  return hasIntro ? [createIntro(first), ...sections] : sections
}

function createIntro(end: number): Section {
  return { id: '~intro', title: '', level: 0, path: [], start: 0, end, subtreeEnd: end }
}

function addSections(
  headings: readonly Heading[],
  starts: readonly number[],
  { text }: LineTable,
): Section[] {
  const ends = findSubtreeEnds(headings, starts, text.length)
  const assignId = createIdAssigner()
  const above: Heading[] = []
  const titles: string[] = []
  return headings.map((heading, index) => {
    const { id, words } = readExplicitId(heading.text)
    const title = cutTitle(readInlineText(words))
    while (above.length > 0 && above.at(-1)!.level >= heading.level) {
      above.pop()
      titles.pop()
    }
    above.push(heading)
    titles.push(title)
    return {
      id: assignId(title, id),
      title,
      level: heading.level,
      path: [...titles],
      start: starts[index]!,
      end: starts[index + 1] ?? text.length,
      subtreeEnd: ends[index]!,
    }
  })
}

/** For each heading the start of the next one of the same or a higher level. */
function findSubtreeEnds(headings: readonly Heading[], starts: readonly number[], length: number): number[] {
  const ends = headings.map(() => length)
  const open: number[] = []
  for (const [index, { level }] of headings.entries()) {
    while (open.length > 0 && headings[open.at(-1)!]!.level >= level) ends[open.pop()!] = starts[index]!
    open.push(index)
  }
  return ends
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
