const ATX = /^ {0,3}#{1,6}(?:[ \t]+(.*))?$/
const SETEXT = /^ {0,3}(?:=+|-+)[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const NO_PARAGRAPH = /^(?: {4}|\t| {0,3}(?:>|#|[-*+][ \t]|\d{1,9}[.)][ \t]|\||<))/

/**
 * Finds the first heading of a markdown text that has words, as plain text without marks, outside fences and comments.
 *
 * Light on purpose: only lines are looked at, and at most the first `limit` UTF-16 units.
 */
export function findFirstHeading(text: string, limit: number = 1 << 20): string | undefined {
  let fence = ''
  let comment = false
  let previous = ''
  for (const line of text
    .slice(0, limit)
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)) {
    if (comment) {
      comment = !line.includes('-->')
      continue
    }
    const mark = FENCE.exec(line)?.[1]
    if (fence !== '') {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = ''
      continue
    }
    if (mark !== undefined) fence = mark
    else if (line.trimStart().startsWith('<!--')) comment = !line.includes('-->')
    else {
      const heading = ATX.exec(line)?.[1] ?? (SETEXT.test(line) ? previous : undefined)
      const words = heading === undefined ? '' : readInlineText(heading)
      if (words !== '') return words
      previous = NO_PARAGRAPH.test(line) ? '' : line
      continue
    }
    previous = ''
  }
  return undefined
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
])

/** The words of a heading without its inline markdown. Code is escaped first, so that its marks stay. */
function readInlineText(heading: string): string {
  return heading
    .slice(0, 4_000)
    .replace(/(?:^|[ \t]+)#+[ \t]*$/, '')
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
