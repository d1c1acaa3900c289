/** An include of mdBook or VitePress in a text, in UTF-16 offsets. */
export interface Include {
  readonly start: number
  readonly end: number
  readonly tool: 'mdBook' | 'VitePress'
  /** As it is written. */
  readonly text: string
  /** Path as it is written; `@/` of VitePress stands for the folder of the site's pages. */
  readonly path: string
  readonly part: IncludedPart
}

/** What is taken of a file: lines from 1, the lines between two markers, or all. */
export interface IncludedPart {
  readonly from?: number
  readonly to?: number
  /** An anchor of mdBook, or a region or heading of VitePress. */
  readonly name?: string
  /** Whether all parts between anchors of this name are taken, and not only the first. */
  readonly isEach?: boolean
  /** Language line of the code block that is put around it. */
  readonly fence?: string
}

const OPENING = /<!--[ \t]{0,8}@include:|\{\{[ \t]{0,8}#(include|rustdoc_include|playground|playpen)[ \t]/g
/** Longest include. */
const MAX_LENGTH = 4096

/**
 * Finds the includes of a text, even in code: both tools replace them before they parse markdown.
 *
 * @see https://rust-lang.github.io/mdBook/format/mdbook.html
 * @see https://vitepress.dev/guide/markdown#markdown-file-inclusion
 */
export function findIncludes(text: string): Include[] {
  const found: Include[] = []
  for (const { 0: opening, 1: kind, index } of text.matchAll(OPENING)) {
    if (index < (found.at(-1)?.end ?? 0)) continue
    const closing = kind === undefined ? '-->' : '}}'
    const argument = index + opening.length
    const length = text.slice(argument, argument + MAX_LENGTH).indexOf(closing)
    const written = text.slice(argument, argument + length).trim()
    // A backslash before an mdBook include prevents the include.
    if (length < 0 || written === '' || /[\r\n]/.test(written)) continue
    if (kind !== undefined && text[index - 1] === '\\') continue
    const end = argument + length + closing.length
    const parsed = kind === undefined ? parseVitePress(written) : parseMdBook(kind, written)
    found.push({ start: index, end, text: text.slice(index, end), ...parsed })
  }
  return found
}

type ParsedInclude = Pick<Include, 'tool' | 'path' | 'part'>

/**
 * `file`, `file:2`, `file:2:`, `file::10`, `file:2:10` or `file:anchor`; after `playground` also
 * words for the code block.
 */
function parseMdBook(kind: string, written: string): ParsedInclude {
  const tool = 'mdBook'
  const [argument = '', ...words] = written.split(/\s+/)
  if (kind === 'playground' || kind === 'playpen') {
    return { tool, path: argument, part: { fence: ['rust', ...words].join(',') } }
  }
  const [path = '', first = '', second] = argument.split(':')
  if (first !== '' && !/^\d+$/.test(first))
    return { tool, path, part: { name: first, isEach: kind === 'rustdoc_include' } }
  const from = first === '' ? undefined : Math.max(1, Number(first))
  const to = second === undefined ? from : /^\d+$/.test(second) ? Number(second) : undefined
  return { tool, path, part: { ...(from !== undefined && { from }), ...(to !== undefined && { to }) } }
}

/** `file`, `file{2,}`, `file{,10}`, `file{2,10}`, `file#region` or `file#region{2,10}`. */
function parseVitePress(written: string): ParsedInclude {
  const range = /\{(\d*),(\d*)\}$/.exec(written)
  const rest = range === null ? written : written.slice(0, range.index)
  const hash = rest.lastIndexOf('#')
  const hasName = hash >= 0 && /^[^\s{/\\]+$/.test(rest.slice(hash + 1))
  const [, from = '', to = ''] = range ?? []
  const part = {
    ...(from !== '' && { from: Number(from) }),
    ...(to !== '' && { to: Number(to) }),
    ...(hasName && { name: rest.slice(hash + 1) }),
  }
  // A leading slash also means the folder of the page.
  return { tool: 'VitePress', path: (hasName ? rest.slice(0, hash) : rest).replace(/^\/+/, ''), part }
}
