import {
  findHeadings,
  LineKind,
  LineMark,
  readInlineText,
  scanLines,
  type LineTable,
} from '@packs/codec/markdown'
import { findSkippedLines } from '../lint/document/find-skipped-lines.ts'
import { type Block, type Link, scanInlines } from '../lint/document/scan-inlines.ts'

/** A paragraph further down does not introduce a document. UTF-16 units. */
const LIMIT = 1 << 18
/** Most UTF-16 units of a paragraph that are read. */
const LONGEST = 4_000

/** Headings of a section that says what a document is about. */
const SUMMARY = /^(?:\d+\.? *)?(?:summary|abstract|overview|introduction)$/i

/** A paragraph that can describe a document. */
interface Paragraph {
  readonly line: number
  readonly text: string
}

/**
 * Returns the paragraph of a markdown text that describes it, without markup and on one line. Empty if there is none.
 *
 * This is the first one, or that of a section such as "Summary" if the first one is in another section. One outside of quotes,
 * lists and admonitions is preferred, unless it only leads over to an example or is about a section. Paragraphs that are only
 * links, images or labels do not count.
 */
export function describeSource(source: string): string {
  const lines = scanLines(source.slice(0, LIMIT), { frontMatter: false })
  const { plain, quoted, listed } = findParagraphs(lines)
  const headings = [...findHeadings(lines)]
  const isIntroduction = ({ line }: Paragraph): boolean => {
    const section = headings.findLast((heading) => heading.line < line)
    return section === undefined || section === headings[0]
  }
  const summary = headings.find(({ text }) => SUMMARY.test(readInlineText(text)))?.line ?? Infinity
  const [first = quoted[0] ?? listed[0]] = plain
  if (first === undefined) return ''
  if (isIntroduction(first) && !/[:：]$/.test(first.text)) return first.text
  const quote = quoted.find((one) => one.line < first.line && isIntroduction(one))
  const chosen = quote ?? (isIntroduction(first) ? first : plain.find(({ line }) => line > summary))
  return (chosen ?? first).text
}

/** The paragraphs of a text by what they are in. */
interface Paragraphs {
  readonly plain: Paragraph[]
  readonly quoted: Paragraph[]
  readonly listed: Paragraph[]
}

function findParagraphs(lines: LineTable): Paragraphs {
  const skipped = findSkippedLines(lines.text, lines)
  markAdmonitions(lines, skipped)
  const { blocks, links } = scanInlines(lines, skipped)
  const found: Paragraphs = { plain: [], quoted: [], listed: [] }
  let next = 0
  for (const block of blocks) {
    const line = block.from
    if (lines.kinds[line] !== LineKind.paragraph) continue
    while (next < links.length && links[next]!.end <= lines.bodyStarts[line]!) next++
    const text = readParagraph(lines, block, links, next)
    const isNested = (lines.marks[line]! & LineMark.inContainer) !== 0
    const marker = lines.text.slice(lines.starts[line], lines.bodyStarts[line])
    const place = !isNested ? 'plain' : marker.includes('>') ? 'quoted' : 'listed'
    if (text !== '') found[place].push({ line, text })
  }
  return found
}

/** Opening of an admonition, as VitePress and Docusaurus write it, and its end. */
const FENCE = /^ {0,3}:{3,}[ \t]*(\S?)/
/** Opening of an admonition of MkDocs, whose text is indented, and a label of GitHub's. */
const LABEL = /^(?:!!!|\?\?\?\+?|\[!\w+\])/

/** Marks the lines of admonitions outside of quotes, which are marked as such already. */
function markAdmonitions({ text, count, starts, ends }: LineTable, skipped: Uint8Array): void {
  let depth = 0
  for (let line = 0; line < count; line++) {
    const found = FENCE.exec(text.slice(starts[line], Math.min(ends[line]!, starts[line]! + 80)))
    if (found?.[1]) depth++
    if (depth > 0 || found) skipped[line] = 1
    if (found?.[1] === '' && depth > 0) depth--
  }
}

/** Something to read: two words, or a run of letters of a script without spaces. */
const WORDS =
  /[\p{L}\p{N}][^\p{L}\p{N}\s]*\s[^\p{L}\p{N}]*\p{L}|[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]{4}/u

/** Returns the words of a paragraph; empty if it has none outside of links. */
function readParagraph(
  { text, bodyStarts, bodyEnds }: LineTable,
  { from, to }: Block,
  links: readonly Link[],
  first: number,
): string {
  const start = bodyStarts[from]!
  const end = Math.min(bodyEnds[to - 1]!, start + LONGEST)
  if (LABEL.test(text.slice(start, end))) return ''
  /** 1 for what is left out, 2 for the text of links. */
  const roles = new Uint8Array(end - start)
  for (let index = first; index < links.length && links[index]!.end <= end; index++) {
    const link = links[index]!
    if (link.isImage) roles.fill(1, link.start - start, link.end - start)
    else {
      for (let offset = link.textStart; offset < link.textEnd; offset++) roles[offset - start] ||= 2
      roles.fill(1, link.start - start, link.textStart - start)
      roles.fill(1, link.textEnd - start, link.end - start)
    }
  }
  let all = ''
  let own = ''
  for (let line = from; line < to && bodyStarts[line]! < end; line++) {
    for (let offset = bodyStarts[line]!; offset < Math.min(bodyEnds[line]!, end); offset++) {
      const role = roles[offset - start]
      if (role !== 1) all += text[offset]
      if (role === 0) own += text[offset]
    }
    all += ' '
    own += ' '
  }
  return WORDS.test(readWords(own)) ? readWords(all) : ''
}

/** Leaves out comments, templates, numbers of footnotes and the brackets of references, and reads the rest. */
function readWords(markdown: string): string {
  const text = markdown
    .replace(/<!--[^]*?(?:-->|$)/g, '')
    .replace(/<((?:https?:\/\/|mailto:)[^<>\s]*)>/g, '$1')
    .replace(/\{[{%][^{}]*[%}]\}/g, '')
    .replace(/(?<!\\)\[\^[^[\]\s]*\]/g, '')
    .replace(/(?<![\\\p{L}\p{N}])\[([^[\]]+)\](?![\](:[])/gu, '$1')
  return readInlineText(text)
}
