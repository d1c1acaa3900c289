import { findFirst } from '../../binary-search.ts'
import { findHeadings, type Heading, readInlineText } from '../../markdown/find-headings.ts'
import { LineKind } from '../../markdown/line-table.ts'
import type { Draft } from '../draft.ts'
import type { Edit } from '../edited-text.ts'
import { hasOnlyLayoutClasses } from '../tags.ts'
import { removeBlock } from './comments.ts'

/** Headings of a table of contents, in lower case, in the languages of most docs. */
const CONTENTS =
  /^(?:(?:table of )?contents|toc|on this page|in this (?:article|page|section|document)|目录|目錄|目次|목차|차례|inhalt(?:sverzeichnis)?|índice|indice|sommaire|table des matières|sumário|contenidos?|содержание|оглавление|spis treści)\W*$/u

/** What programs that write contents put before them. */
const MARK = /^<!-- *(?:toc|start doctoc|table of contents)\b[^>]*-->$/i

/**
 * Takes out tables of contents: lists in which every item is a link to a heading of the page, with
 * its words. Such a list says nothing only at the start of the page or below its first heading, if
 * it names all headings behind it in their order, or below a heading or mark that says what it is.
 */
export function proposeContents(draft: Draft): void {
  if (!draft.has('toc')) return
  const { text, table, blocks } = draft
  const { containers, depths, count } = table
  const lists = containers.filter(({ kind, depth }) => kind === 'list' && depth === 0)
  if (lists.length === 0) return
  const starts = new Set(lists.map(({ line }) => line))
  const items = new Uint32Array(count + 1)
  for (const { kind, line } of containers) if (kind === 'list' || kind === 'item') items[line + 1]!++
  for (let line = 0; line < count; line++) items[line + 1]! += items[line]!
  const headings = Array.from(findHeadings(table), (heading) => ({
    ...heading,
    words: readWords(heading.text),
  }))
  const names = new Set(headings.map(({ words }) => words))
  let next = 0
  for (const { line } of lists) {
    let last = line
    while (last + 1 < count && (depths[last + 1]! > 0 || draft.isBlank(last + 1)) && !starts.has(last + 1))
      last++
    while (draft.isBlank(last)) last--
    while (next < blocks.length && blocks[next]!.line < line) next++
    const linked: string[] = []
    for (; next < blocks.length && blocks[next]!.line <= last; next++) {
      const { parts, inlines } = blocks[next]!
      const [link] = inlines
      const [part] = parts
      const isLink =
        parts.length === 1 && link?.kind === 'link' && link.start === part!.start && link.end === part!.end
      if (!isLink || text.charCodeAt(link.from) !== 35) break
      const words = readWords(text.slice(link.start + 1, link.close))
      // What is struck out says so only in the list.
      if (!names.has(words) || text.slice(link.start, link.close).includes('~~')) break
      linked.push(words)
    }
    const isWhole = next >= blocks.length || blocks[next]!.line > last
    const isList = linked.length > 1 && isWhole && linked.length === items[last + 1]! - items[line]!
    if (isList && depths[last]! > 0 && isContents(draft, line, headings, linked))
      removeBlock(draft, line, last, '', 'toc')
  }
}

type Title = Heading & { readonly words: string }

function isContents(
  draft: Draft,
  line: number,
  headings: readonly Title[],
  linked: readonly string[],
): boolean {
  let before = line - 1
  while (before >= 0 && draft.isBlank(before)) before--
  if (before >= 0 && MARK.test(draft.text.slice(draft.table.starts[before], draft.table.ends[before])))
    return true
  const count = findFirst(headings.length, (index) => headings[index]!.line > line)
  const above = headings[count - 1]
  // The underline of a heading is a line of its own.
  const end = draft.table.kinds[before] === LineKind.setextUnderline ? before - 1 : before
  if (above?.lastLine === end && CONTENTS.test(above.words)) return true
  if (before >= 0 && !(count === 1 && above?.lastLine === end)) return false
  const named = new Set<Title>()
  let next = count
  for (const words of linked) {
    while (next < headings.length && headings[next]!.words !== words) next++
    if (next === headings.length) return false
    named.add(headings[next++]!)
  }
  const top = [...named].reduce((least, { level }) => Math.min(least, level), 6)
  return headings.slice(count).every((heading) => heading.level > top || named.has(heading))
}

function readWords(inline: string): string {
  return readInlineText(inline.replace(/\{[ \t]*#[^{}]*\}[ \t]*$/, '')).toLowerCase()
}

const HEADING_ID = /[ \t]*\{#[\w:.-]+\}$/
/** Longest list of attributes, with the blanks before it. */
const LONGEST_LIST = 300
const ATTRIBUTE_LIST = /[ \t]*\{:?[ \t]*((?:\.[\w-]+|#[\w:.-]+)(?:[ \t]+(?:\.[\w-]+|#[\w:.-]+))*)[ \t]*\}$/

/** Takes out ids of headings, and attribute lists with only ids and layout classes. */
export function proposeIds(draft: Draft): void {
  const { text, table, dialects } = draft
  const hasLists = dialects.has('mkdocs') || dialects.has('kramdown')
  const hasIds = hasLists || dialects.has('mdx') || dialects.has('vue') || dialects.has('hugo')
  if (!draft.has('ids') || !hasIds) return
  for (let line = 0; line < table.count; line++) {
    const kind = table.kinds[line]!
    const isUnderlined = table.kinds[line + 1] === LineKind.setextUnderline
    const isHeading = kind === LineKind.atxHeading || (kind === LineKind.headingText && isUnderlined)
    if (!isHeading && !(hasLists && kind === LineKind.paragraph)) continue
    const start = table.bodyStarts[line]!
    const end = table.bodyEnds[line]!
    const from = Math.max(start, end - LONGEST_LIST)
    const body = text.slice(from, end)
    const found = (isHeading ? HEADING_ID.exec(body) : null) ?? (hasLists ? ATTRIBUTE_LIST.exec(body) : null)
    // In a paragraph a list belongs to the link before it, or is text.
    const before = found === null ? '' : body.slice(found.index - 1, found.index + 1)
    const isSafe = isHeading ? !/[*_~\\`]\S/.test(before) : /[)\]]\{/.test(before)
    if (found === null || found.index === 0 || !isSafe) continue
    const classes = (found[1] ?? '').split(/\s+/).filter((name) => name.startsWith('.'))
    if (!hasOnlyLayoutClasses(classes.map((name) => name.slice(1)).join(' '))) continue
    draft.propose('ids', [{ at: from + found.index, end, insert: '' }])
  }
}

const STATEMENT =
  /((?:import|export)\b[^'"`;()=<>]*)(?:"[^"\n]*"|'[^'\n]*')(?:[ \t]+with[ \t]*\{[^{}]*\})?;?[ \t]*(?:\/\/[^\n]*)?(?:\r?\n|$)/y
const CLAUSE = /^(?:import(?:\s[\w$*{},\s]*\sfrom)?|export\s(?:[\w$*{},\s]*\s)?from)\s*$/
const EXPORT = /^export\s+(?:const|let|var|function|class)\s+([\w$]+)\s*(?:[=:(<]|\{\s|extends\s)/
/** Longest export that may go, in UTF-16 units. */
const LONGEST_EXPORT = 4_000

/** Takes imports of MDX out, and its exports unless the text uses a word of one. */
export function proposeImports(draft: Draft): void {
  if (!draft.has('imports') || !draft.dialects.has('mdx')) return
  const { text, table } = draft
  const exported: { readonly line: number; readonly last: number }[] = []
  const words = new Set<string>()
  let isUsed = false
  for (let line = 0; line < table.count; line++) {
    const start = table.starts[line]!
    if (!draft.isBlank(line - 1) || table.depths[line] !== 0) continue
    if (!text.startsWith('import', start) && !text.startsWith('export', start)) continue
    if (table.kinds[line] !== LineKind.paragraph) continue
    let last = line
    while (!draft.isBlank(last + 1)) last++
    const block = text.slice(start, table.ends[last])
    if (isStatements(block)) removeBlock(draft, line, last, '', 'imports')
    else if (EXPORT.test(block) && block.length <= LONGEST_EXPORT && isBalanced(block)) {
      exported.push({ line, last })
      for (const [word] of block.matchAll(/[\w$]+/g)) words.add(word)
    } else {
      // What is not understood may use every export.
      isUsed = true
      last = keepProgram(draft, line, last)
    }
    line = last
  }
  isUsed ||=
    exported.length > 0 && listShownNames(draft.textOutside(exported)).some((name) => words.has(name))
  for (const { line, last } of exported)
    if (isUsed) keepProgram(draft, line, last)
    else removeBlock(draft, line, last, '', 'imports')
}

/** Keeps a statement, up to a line that begins with its last bracket; returns its last line. */
function keepProgram(draft: Draft, line: number, last: number): number {
  const { text, table } = draft
  const end = table.ends[last]!
  const isOpen = !isBalanced(text.slice(table.starts[line], end))
  const rest = isOpen ? /^[)\]}].*$/m.exec(text.slice(end, end + LONGEST_EXPORT)) : null
  draft.keep(table.starts[line]!, rest === null ? end : end + rest.index + rest[0].length)
  return rest === null ? last : draft.lineAt(end + rest.index)
}

/** Lists what expressions in braces and tags name. */
function listShownNames(text: string): string[] {
  const places = text.matchAll(/\{[^{}]{1,400}|<[\w$.]+/g)
  return Array.from(places, ([place]) => place.match(/(?<![\w$.])[\w$]+/g) ?? []).flat()
}

function isStatements(block: string): boolean {
  let offset = 0
  while (offset < block.length) {
    STATEMENT.lastIndex = offset
    const found = STATEMENT.exec(block)
    if (found === null || !CLAUSE.test(found[1]!)) return false
    offset = STATEMENT.lastIndex
  }
  return true
}

/** Whether all brackets of a declaration close in it, so that it goes to the end of its block. */
function isBalanced(block: string): boolean {
  let depth = 0
  for (const sign of block.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '')) {
    if (/[([{]/.test(sign)) depth++
    else if (/[)\]}]/.test(sign) && --depth < 0) return false
  }
  return depth === 0 && /[;}\])'"`\w]\s*$/.test(block)
}

const NAMED = new Map(
  `quot:" apos:' ldquo:“ rdquo:” lsquo:‘ rsquo:’ mdash:— ndash:– hellip:… bull:• rarr:→ trade:™ reg:® agrave:à aacute:á acirc:â atilde:ã auml:ä aring:å aelig:æ ccedil:ç egrave:è eacute:é ecirc:ê euml:ë igrave:ì iacute:í icirc:î iuml:ï ntilde:ñ ograve:ò oacute:ó ocirc:ô otilde:õ ouml:ö oslash:ø ugrave:ù uacute:ú ucirc:û uuml:ü szlig:ß Auml:Ä Ouml:Ö Uuml:Ü Eacute:É Agrave:À Ccedil:Ç Aring:Å Oslash:Ø Ntilde:Ñ`
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
)
const ENTITY = /&(?:#(\d{2,7})|#[xX]([\da-fA-F]{2,6})|([A-Za-z]{3,8}));/g
const SIGN = /[*_~[\]()!<>&\\`{}|]/

/** Replaces entities of a closed list: letters outside of ASCII, quotes, dashes, a few signs. */
export function proposeEntities(draft: Draft): void {
  const { text, base } = draft
  if (!draft.has('entities') || !text.includes('&')) return
  for (const { parts } of draft.blocks) {
    const edits: Edit[] = []
    const { start } = parts[0]!
    for (const found of text.slice(start, parts.at(-1)!.end).matchAll(ENTITY)) {
      const [entity, decimal, hexadecimal, name = ''] = found
      const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
      const insert = name === '' ? readCharacter(code) : NAMED.get(name)
      const at = start + found.index
      const end = at + entity.length
      if (insert === undefined || draft.isMarkup(at) || !draft.isFree(at, end)) continue
      // Neighbors are those that other edits leave.
      const next = base.toText(end)
      const after = base.text.slice(next, next + 10)
      if (SIGN.test(base.text.charAt(base.toText(at) - 1))) continue
      if (!SIGN.test(after.charAt(0)) || /^&#?\w{1,8};/.test(after)) edits.push({ at, end, insert })
    }
    draft.propose('entities', edits)
  }
}

const LISTED = /^["'“”‘’—–…•→™®]$|^(?!\p{ASCII})\p{L}$/u

function readCharacter(code: number): string | undefined {
  if (!(code > 31 && code < 0x110000)) return undefined
  const character = String.fromCodePoint(code)
  return LISTED.test(character) ? character : undefined
}
