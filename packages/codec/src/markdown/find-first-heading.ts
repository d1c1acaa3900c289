import { bomLength, LineKind, LineMark, type LineTable } from './line-table.ts'

/** Only headings that begin before this UTF-16 offset are found. */
const LIMIT = 1 << 20

/**
 * Finds the first heading with words in a markdown text and returns it as plain text. Ignores headings in block
 * quotes, list items and footnotes.
 */
export function findFirstHeading(table: LineTable): string | undefined {
  const { text, count, starts, bodyStarts, bodyEnds, kinds, marks } = table
  let heading = ''
  for (let line = 0; line < count && starts[line]! < LIMIT; line++) {
    if (marks[line]! & LineMark.inContainer) continue
    const kind = kinds[line]!
    if (kind === LineKind.headingText) {
      const start = line === 0 ? bomLength(text) : starts[line]!
      heading += `${text.slice(start, bodyEnds[line])} `
      continue
    }
    if (kind === LineKind.atxHeading) heading = text.slice(bodyStarts[line], bodyEnds[line])
    else if (kind !== LineKind.setextUnderline) continue
    const words = readInlineText(heading)
    if (words !== '') return words
    heading = ''
  }
  return undefined
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
])

/** Returns the words of a heading without inline markdown. Code is escaped first, so that its punctuation stays. */
function readInlineText(heading: string): string {
  return heading
    .slice(0, 4_000)
    .replace(/[ \t]*\{#[^{}]*\}[ \t]*$/, '')
    .replace(/`+([^`]+)`+/g, (_, code: string) => code.replace(/[!-/:-@[-^_{-~]/g, '\\$&'))
    .replace(/(?<!\\)<\/?[a-zA-Z][^<>]*>/g, '')
    .replace(/(?<!\\)!?(?<!\\)\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, '$1')
    .replace(/(?<!\\)(?:(?:\*{1,3}|~~)(?=\S)|(?<=\S)(?:\*{1,3}|~~))/g, '')
    .replace(/(?<![\p{L}\p{N}\\])_{1,3}(?=\S)|(?<=[^\s\\])_{1,3}(?![\p{L}\p{N}])/gu, '')
    .replace(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES.get(entity) ?? entity)
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
}
