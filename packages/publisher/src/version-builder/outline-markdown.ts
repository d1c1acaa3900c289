import { createHash, type Hash } from 'node:crypto'
import {
  type Container,
  findHeadings,
  LineKind,
  LineMark,
  type BlockTable,
  readInlineText,
  scanLines,
} from '@packs/codec/markdown'

/** Structure and content digest of a markdown text, used to compare two versions. */
export interface Outline {
  /** Plain texts of the headings that begin sections, in order. */
  readonly headings: readonly string[]
  /** Blocks in document order, containers before what they contain. */
  readonly blocks: readonly Block[]
  /** SHA-256 of texts, link targets and code; not of the layout of the source. */
  readonly contentDigest: string
}

export interface Block {
  /** Name used in reasons: `paragraph`, `list item`, `table of 3 columns`. */
  readonly kind: string
  /** Number of block quotes, list items and footnotes around it. */
  readonly depth: number
}

/**
 * Outlines a markdown text of any length, in linear time.
 *
 * Line wraps in prose, blank lines, white space at line ends, bullets, heading and fence marks and
 * the padding of tables are layout.
 */
export function outlineMarkdown(markdown: string): Outline {
  const table = scanLines(markdown, { frontMatter: false })
  const headings = Array.from(findHeadings(table), ({ text }) => readInlineText(text))
  const writer = new OutlineWriter(table)
  for (let line = 0; line < table.count; line++) writer.addLine(line)
  return { headings, ...writer.finish() }
}

const LEAF_KINDS: Readonly<Record<number, string>> = {
  [LineKind.paragraph]: 'paragraph',
  [LineKind.thematicBreak]: 'thematic break',
  [LineKind.fenceOpen]: 'code block',
  [LineKind.fencedCode]: 'code block',
  [LineKind.fenceClose]: 'code block',
  [LineKind.indentedCode]: 'code block',
  [LineKind.htmlFirst]: 'HTML block',
  [LineKind.htmlInside]: 'HTML block',
  [LineKind.htmlLast]: 'HTML block',
  [LineKind.tableHeader]: 'table row',
  [LineKind.tableDelimiter]: 'table row',
  [LineKind.tableRow]: 'table row',
  [LineKind.definition]: 'link definition',
  [LineKind.opaque]: 'paragraph',
}

class OutlineWriter {
  private readonly table: BlockTable
  private readonly blocks: Block[] = []
  private readonly content: Hash = createHash('sha256')
  /** Number of containers that are read. */
  private opened = 0
  /** The open leaf block; its texts, without layout. */
  private leaf: Block = { kind: '', depth: 0 }
  private texts: string[] = []

  constructor(table: BlockTable) {
    this.table = table
  }

  finish(): Pick<Outline, 'blocks' | 'contentDigest'> {
    this.closeLeaf()
    return { blocks: this.blocks, contentDigest: this.content.digest('hex') }
  }

  addLine(line: number): void {
    const { containers, kinds, marks, depths } = this.table
    for (; containers[this.opened]?.line === line; this.opened++) this.addContainer(containers[this.opened]!)
    const kind = kinds[line]!
    // Only in code, which keeps its blank lines, does a leaf go on after one.
    if (kind === LineKind.blank) {
      this.texts.push('')
      return
    }
    const name = LEAF_KINDS[kind] ?? 'heading'
    // The paragraph after a definition begins on a line without this mark.
    if (marks[line]! & LineMark.startsLeaf || name !== this.leaf.kind) {
      this.closeLeaf()
      this.leaf = { kind: name, depth: depths[line]! }
    }
    this.texts.push(this.readLine(line, kind))
    if (name === 'table row' && kind !== LineKind.tableDelimiter) this.addRow(line, kind)
    if (kind === LineKind.atxHeading || kind === LineKind.setextUnderline) this.addHeading(line, kind)
  }

  private addContainer({ kind, line, depth, marker }: Container): void {
    this.closeLeaf()
    const { text, ends } = this.table
    const isList = kind === 'list'
    // The number of the first item; the label of a footnote.
    const [name = ''] =
      isList || kind === 'footnote' ? /^\d+|^\[.*?\]:|/.exec(text.slice(marker, ends[line]))! : []
    this.content.update(`${kind} ${name}\n`)
    if (isList) this.blocks.push({ kind: 'list', depth })
    this.blocks.push({ kind: CONTAINER_KINDS[kind], depth })
  }

  private addRow(line: number, kind: number): void {
    const depth = this.table.depths[line]!
    if (kind === LineKind.tableHeader) {
      const columns = this.texts.at(-1)!.split(DIVIDER).length
      this.blocks.push({ kind: `table of ${columns} columns`, depth })
    }
    this.blocks.push({ kind: 'table row', depth: depth + 1 })
  }

  private addHeading(line: number, kind: number): void {
    const { text, contentStarts, depths } = this.table
    const marks = text.slice(contentStarts[line], this.table.ends[line]).trimStart()
    const level = kind === LineKind.atxHeading ? /^#*/.exec(marks)![0].length : marks[0] === '=' ? 1 : 2
    this.blocks.push({ kind: `heading of level ${level}`, depth: depths[line]! })
    this.content.update(`${level} `)
  }

  /** Returns the text of a line without its layout. */
  private readLine(line: number, kind: number): string {
    const { text, ends, bodyStarts, bodyEnds, contentStarts } = this.table
    if (kind === LineKind.thematicBreak || kind === LineKind.fenceClose || kind === LineKind.setextUnderline)
      return ''
    if (kind === LineKind.fencedCode || kind === LineKind.indentedCode)
      return text.slice(bodyStarts[line], ends[line])
    if (kind === LineKind.atxHeading) return joinSpace(text.slice(bodyStarts[line], bodyEnds[line]))
    const content = joinSpace(text.slice(contentStarts[line], ends[line])).trim()
    if (kind === LineKind.fenceOpen) return content.replace(/^(?:`+|~+)\s*/, '')
    if (kind === LineKind.tableDelimiter) return splitCells(content).join('|').replace(/-+/g, '-')
    if (kind === LineKind.tableHeader || kind === LineKind.tableRow) return splitCells(content).join('|')
    return content
  }

  private closeLeaf(): void {
    const { kind, depth } = this.leaf
    const isCode = kind === 'code block'
    const text = this.texts.join(isCode || kind === 'table row' || kind === 'HTML block' ? '\n' : ' ')
    // Comments and link definitions are not blocks, but count as content.
    const isBlock = kind === 'HTML block' ? !isComment(text) : BLOCKS.has(kind)
    if (isBlock) this.blocks.push({ kind, depth })
    if (kind !== '') this.content.update(`${depth} ${kind} ${isCode ? text.trimEnd() : text.trim()}\n`)
    this.leaf = { kind: '', depth: 0 }
    this.texts = []
  }
}

const BLOCKS: ReadonlySet<string> = new Set(['paragraph', 'thematic break', 'code block'])

const CONTAINER_KINDS = {
  quote: 'block quote',
  list: 'list item',
  item: 'list item',
  footnote: 'footnote',
} as const

const DIVIDER = /(?<!\\)\|/

/** Returns the cells of a table row, trimmed. */
function splitCells(row: string): string[] {
  const cells = row.split(DIVIDER).map((cell) => cell.trim())
  if (cells.length > 1 && cells[0] === '') cells.shift()
  if (cells.length > 1 && cells.at(-1) === '') cells.pop()
  return cells
}

/** Whether HTML has only comments, in linear time. */
function isComment(html: string): boolean {
  const text = html.trim()
  for (let at = 0; at < text.length;) {
    const end = text.startsWith('<!--', at) ? text.indexOf('-->', at + 4) : -1
    if (end < 0) return false
    at = end + 3
    while (/\s/.test(text.charAt(at))) at++
  }
  return true
}

function joinSpace(text: string): string {
  return text.replace(/\s+/g, ' ')
}
