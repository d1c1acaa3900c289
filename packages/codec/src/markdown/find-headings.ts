import { bomLength, LineKind, LineMark, type LineTable } from './line-table.ts'
import { skipSpaces } from './table-row.ts'

/** A heading outside block quotes, list items and footnotes. */
export interface Heading {
  readonly level: number
  /** Its inline markdown, without `#` marks and underline, with a space for each line end. */
  readonly text: string
  /** From 0. */
  readonly line: number
  /** Number of the last line of its text; equal to `line` unless it is underlined. */
  readonly lastLine: number
}

/** Finds the headings outside block quotes, list items and footnotes, in linear time. */
export function* findHeadings(table: LineTable): Generator<Heading, void, undefined> {
  const { text, count, bodyStarts, bodyEnds, kinds, marks } = table
  let first = -1
  let setext = ''
  for (let line = 0; line < count; line++) {
    if (marks[line]! & LineMark.inContainer) continue
    const kind = kinds[line]!
    if (kind === LineKind.atxHeading) {
      const level = countMarks(table, line)
      yield { level, text: text.slice(bodyStarts[line], bodyEnds[line]), line, lastLine: line }
    } else if (kind === LineKind.headingText) {
      if (first < 0) first = line
      setext += `${setext === '' ? '' : ' '}${text.slice(findTextStart(table, line), bodyEnds[line])}`
    } else if (kind === LineKind.setextUnderline) {
      const level = text[findTextStart(table, line)] === '=' ? 1 : 2
      yield { level, text: setext, line: first < 0 ? line : first, lastLine: line - 1 }
      first = -1
      setext = ''
    }
  }
}

/** Only headings that start before this UTF-16 offset can be a title. */
const LIMIT = 1 << 20

/** The first heading with words, as plain text; of those that `findHeadings` finds. */
export function findFirstHeading(table: LineTable): string | undefined {
  for (const { text, line } of findHeadings(table)) {
    if (table.starts[line]! >= LIMIT) return undefined
    const words = readInlineText(text.slice(0, LONGEST).replace(/\{#[^{}]*\}[ \t]*$/, ''))
    if (words !== '') return words
  }
  return undefined
}

/** Offset of the first character of a line that is neither white space nor a byte order mark. */
function findTextStart({ text, starts, ends }: LineTable, line: number): number {
  return skipSpaces(text, starts[line]! + (line === 0 ? bomLength(text) : 0), ends[line]!)
}

function countMarks(table: LineTable, line: number): number {
  const start = findTextStart(table, line)
  let end = start
  while (table.text[end] === '#') end++
  return end - start
}

/** Maximum length of a heading to read, in UTF-16 units. */
const LONGEST = 4_000

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
])

/** The words of a heading, in linear time. Code is escaped first to keep its signs. */
export function readInlineText(heading: string): string {
  return heading
    .slice(0, LONGEST)
    .replace(/(?<!`)`+([^`]+)`+/g, (_, code: string) => code.replace(/[!-/:-@[-^_{-~]/g, '\\$&'))
    .replace(/(?<!\\)<\/?[a-zA-Z][^<>]*>/g, '')
    .replace(/(?<!\\)!?(?<!\\)\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, '$1')
    .replace(/(?<!\\)(?:(?:\*{1,3}|~~)(?=\S)|(?<=\S)(?:\*{1,3}|~~))/g, '')
    .replace(/(?<![\p{L}\p{N}\\])_{1,3}(?=\S)|(?<=[^\s\\])_{1,3}(?![\p{L}\p{N}])/gu, '')
    .replace(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES.get(entity) ?? entity)
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
}
