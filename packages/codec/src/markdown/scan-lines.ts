import { finishHash, HASH_SEED, mixHash, mixText, LineSignature } from './line-signature.ts'
import {
  bomLength,
  isStructureKind,
  LineArrays,
  LineKind,
  type LineOffsets,
  type BlockTable,
  splitLines,
  type LineKindValue,
  isCodeKind,
  LineMark,
} from './line-table.ts'
import { countCells, skipSpaces, trimEnd, isHeaderRow } from './table-row.ts'
import { BlockStart, Construct } from './block-start.ts'
import { ContainerStack, MAX_DEPTH } from './container-stack.ts'
import { OpenFence } from './fenced-code.ts'
import { OpenHtml, readHtmlStart } from './html-block.ts'
import { LineCursor } from './line-cursor.ts'
import { readDefinitions } from './inlines/link-parts.ts'

export interface ScanOptions {
  /** Whether YAML between `---` lines at the start of the text is front matter. @default true */
  readonly frontMatter?: boolean
}

/**
 * Reads the block structure of a markdown text (CommonMark 0.31 with GFM tables, task lists and
 * footnotes, and YAML front matter) line by line. Takes linear time for every string. Two texts
 * with equal line counts and equal signatures have the same block tree in the reference parser
 * (micromark 4), including its deviations from CommonMark.
 */
export function scanLines(text: string, { frontMatter = true }: ScanOptions = {}): BlockTable {
  const offsets = splitLines(text)
  const matter = frontMatter ? findFrontMatter(text, offsets) : 0
  const scan = (firstLine: number, flat: boolean): BlockTable =>
    finish(new LineScanner(new LineArrays(text, offsets), flat).scan(firstLine))
  const table = scan(Math.max(matter, 0), false)
  if (matter >= 0) return table
  // Front matter is opened but never closed. Parsers that support front matter then ignore containers, others
  // do not.
  return merge(table, scan(0, true))
}

/**
 * Number of lines of YAML front matter with delimiters; 0 if there is none, -1 if it is open.
 *
 *     front-matter = byte-order-mark? delimiter line* delimiter
 *     delimiter    = "---" (space | tab)* end-of-line
 */
function findFrontMatter(text: string, lines: LineOffsets): number {
  if (lines.count < 2 || !isMatterDelimiter(text, bomLength(text), lines.ends[0]!)) return 0
  for (let line = 1; line < lines.count; line++) {
    if (isMatterDelimiter(text, lines.starts[line]!, lines.ends[line]!)) return line + 1
  }
  return -1
}

function isMatterDelimiter(text: string, start: number, end: number): boolean {
  return text.startsWith('---', start) && skipSpaces(text, start + 3, end) === end
}

/** Adds to the signatures what is known only at the end of a block. */
function finish(lines: LineArrays): BlockTable {
  const { text, count, starts, ends, bodyStarts, kinds, marks, signatures, contentStarts, delimiters } = lines
  const bodyEnds = new Uint32Array(count)
  for (let line = 0; line < count; line++) {
    const kind = kinds[line]!
    const start = starts[line]!
    const end = ends[line]!
    let hash = mixHash(signatures[line]!, kind)
    if (isStructureKind(kind)) {
      hash = mixText(hash, text, start, end)
      bodyStarts[line] = end
    } else if (kind === LineKind.tableHeader || kind === LineKind.tableRow || delimiters[line + 1] === 1) {
      hash = mixHash(hash, countCells(text, contentStarts[line]!, end))
    }
    signatures[line] = finishHash(hash)
    bodyEnds[line] = findBodyEnd(text, kind, bodyStarts[line]!, end)
  }
  const { depths, containers } = lines
  const table = { text, count, starts, ends, contentStarts, bodyStarts, bodyEnds, kinds, marks, signatures }
  return { ...table, depths, containers }
}

function findBodyEnd(text: string, kind: number, start: number, end: number): number {
  let bodyEnd = trimEnd(text, start, end)
  if (kind !== LineKind.atxHeading || text.charCodeAt(bodyEnd - 1) !== 35) return bodyEnd
  while (bodyEnd > start && text.charCodeAt(bodyEnd - 1) === 35) bodyEnd--
  const trimmed = trimEnd(text, start, bodyEnd)
  return trimmed < bodyEnd || bodyEnd === start ? trimmed : trimEnd(text, start, end)
}

/** Merges two readings of a text: what either protects is protected. */
function merge(table: BlockTable, other: BlockTable): BlockTable {
  for (let line = 0; line < table.count; line++) {
    const agree = table.kinds[line] === other.kinds[line]
    other.signatures[line] = finishHash(
      mixHash(mixHash(HASH_SEED, table.signatures[line]!), other.signatures[line]!),
    )
    other.bodyStarts[line] = Math.max(table.bodyStarts[line]!, other.bodyStarts[line]!)
    other.bodyEnds[line] = Math.max(
      other.bodyStarts[line]!,
      Math.min(table.bodyEnds[line]!, other.bodyEnds[line]!),
    )
    if (!agree) other.bodyEnds[line] = other.bodyStarts[line] = other.ends[line]!
  }
  return other
}

const NONE = 0
const PARAGRAPH = 1
const INDENTED = 2
const FENCE = 3
const HTML = 4
const TABLE = 5

export class LineScanner {
  readonly lines: LineArrays
  private readonly cursor: LineCursor
  private readonly start: BlockStart
  private readonly constructs: LineSignature
  private readonly stack = new ContainerStack()
  private readonly fence = new OpenFence()
  private readonly html = new OpenHtml()
  private readonly flat: boolean
  /** The open leaf block of the innermost container; the first line of it, or of the last leaf. */
  private leaf = NONE
  private leafLine = -1
  private opaque = false

  constructor(lines: LineArrays, flat: boolean) {
    this.lines = lines
    this.flat = flat
    this.cursor = new LineCursor(lines.text)
    this.start = new BlockStart(lines.text)
    this.constructs = new LineSignature(this.start)
  }

  /**
   * Reads all lines after the front matter, except for what only the end of a block decides.
   * @param firstLine Number of lines of front matter.
   */
  scan(firstLine: number): LineArrays {
    const { lines } = this
    lines.kinds.fill(LineKind.frontMatter, 0, firstLine)
    for (let line = firstLine; line < lines.count; line++) this.scanLine(line)
    this.closeLeaf(lines.count)
    return lines
  }

  private scanLine(line: number): void {
    const { lines, cursor, stack } = this
    const start = lines.starts[line]!
    cursor.enter(line === 0 ? start + bomLength(lines.text) : start, lines.ends[line]!)
    const before = stack.depth
    const matched = this.flat ? 0 : stack.continueLine(cursor, this.start)
    const leavesItem = stack.startedItem || stack.hasItem(matched, before)
    if (stack.startedItem) {
      this.closeLeaf(line)
      const depth = stack.depth - 1
      lines.containers.push({ kind: 'item', line, depth, marker: cursor.pos })
    }
    const opened = this.flat ? 0 : this.openContainers(line, matched)
    const lazy = matched < stack.depth && opened === 0
    if (stack.depth === 0) this.opaque = false
    else if (stack.depth === MAX_DEPTH) this.opaque = true

    lines.contentStarts[line] = cursor.consumed
    lines.indented[line] = cursor.indent >= 4 ? 1 : 0
    const kind = this.readLeaf(line, matched, lazy)
    lines.kinds[line] = this.opaque ? LineKind.opaque : kind
    lines.depths[line] = stack.depth
    if (stack.depth > 0) lines.marks[line]! |= LineMark.inContainer
    const continuesLazily = lazy && stack.depth !== matched
    if (!continuesLazily) this.mark(line, leavesItem, matched === 0 && opened > 0)
    const flags =
      (this.leafLine === line ? 8 : 0) |
      (stack.startedItem ? 4 : 0) |
      (continuesLazily ? 2 : 0) |
      (cursor.blank ? 1 : 0)
    this.sign(line, kind, mixHash(mixHash(HASH_SEED, matched), (opened << 4) | flags))
  }

  private mark(line: number, leavesItem: boolean, opensBlock: boolean): void {
    const { lines, leafLine, stack } = this
    if (leavesItem) lines.marks[line]! |= LineMark.endsItem
    if (leafLine === line) lines.marks[line]! |= LineMark.startsLeaf
    if (opensBlock || (leafLine === line && stack.depth === 0)) lines.marks[line]! |= LineMark.startsBlock
  }

  private sign(line: number, kind: LineKindValue, seed: number): void {
    const { lines, cursor, constructs } = this
    let hash = seed
    let bodyStart = cursor.consumed
    if (!isCodeKind(kind)) {
      constructs.read(cursor.next, cursor.end)
      bodyStart = constructs.bodyStart
      hash = mixHash(hash, constructs.hash)
      lines.delimiters[line] = constructs.isDelimiterRow ? 1 : 0
    }
    lines.bodyStarts[line] = bodyStart
    lines.signatures[line] = mixText(hash, lines.text, lines.starts[line]!, bodyStart)
  }

  /** Opens the containers that start on this line inside the matched ones; returns their number. */
  private openContainers(line: number, matched: number): number {
    const { cursor, stack, start } = this
    const whole = matched === stack.depth
    if (whole && (this.leaf === FENCE || this.leaf === HTML)) return 0
    // In the reference parser indented code is interrupted like a paragraph, for the whole line.
    const interrupts = whole && (this.leaf === PARAGRAPH || this.leaf === INDENTED)
    let depth = matched
    while (!cursor.blank && cursor.indent < 4 && depth < MAX_DEPTH) {
      start.read(cursor.next, cursor.end)
      const { constructs } = start
      const marker = cursor.next
      if (constructs === 0 || !stack.open(cursor, start, depth, interrupts)) break
      const kind =
        constructs & Construct.quote ? 'quote' : constructs & Construct.footnote ? 'footnote' : 'list'
      this.lines.containers.push({ kind, line, depth, marker })
      if (depth === matched) this.closeLeaf(line)
      depth++
    }
    return depth - matched
  }

  private readLeaf(line: number, matched: number, lazy: boolean): LineKindValue {
    const { cursor, start } = this
    if (this.leaf === FENCE && !lazy) {
      if (this.fence.continues(cursor)) return LineKind.fencedCode
      this.leaf = NONE
      return LineKind.fenceClose
    }
    if (this.leaf === HTML && !lazy && !(cursor.blank && this.html.endsAtBlank)) {
      if (!this.html.isClosedBy(cursor)) return LineKind.htmlInside
      this.leaf = NONE
      return LineKind.htmlLast
    }
    if (cursor.blank) {
      if (this.leaf !== INDENTED || lazy) this.closeLeaf(line)
      if (lazy) this.stack.depth = matched
      return LineKind.blank
    }
    start.read(cursor.next, cursor.end)
    if (this.leaf === PARAGRAPH) {
      const kind = this.continueParagraph(line, lazy)
      if (kind !== undefined) return kind
    } else if (this.leaf === TABLE && !lazy && !this.startsBlock()) {
      return LineKind.tableRow
    } else if (this.leaf === INDENTED && !lazy && cursor.indent >= 4) {
      cursor.advance(4)
      return LineKind.indentedCode
    }
    this.closeLeaf(line)
    // Only now is it clear that a lazy line closes the containers that it does not continue.
    if (lazy) this.stack.depth = matched
    const kind = this.startLeaf(line)
    // In the reference parser indented code that starts on a lazy line ends with that line.
    if (lazy && this.leaf === INDENTED) this.leaf = NONE
    return kind
  }

  /** Returns the kind of a line after a paragraph line; undefined if it starts another block. */
  private continueParagraph(line: number, lazy: boolean): LineKindValue | undefined {
    const { cursor, start } = this
    if (cursor.indent >= 4) return LineKind.paragraph
    const { constructs } = start
    if (constructs & Construct.delimiterRow && !lazy && this.headsTable(line - 1))
      return this.startTable(line)
    if (constructs & Construct.setext && !lazy) {
      const from = this.leafLine + this.closeLeaf(line)
      this.lines.retype(from, line, LineKind.paragraph, LineKind.headingText)
      return from < line ? LineKind.setextUnderline : undefined
    }
    if (constructs & Construct.html && start.detail === 7) {
      if (!lazy) return LineKind.paragraph
      // In the reference parser such a lazy line interrupts the paragraph, inside the containers that it
      // ends.
      this.closeLeaf(line)
      return this.startLeaf(line)
    }
    return this.startsBlock() ? undefined : LineKind.paragraph
  }

  /** Whether a line of the open paragraph has as many cells as the delimiter row at the cursor. */
  private headsTable(line: number): boolean {
    const { text, ends, indented } = this.lines
    if (line > this.leafLine && indented[line] === 1) return false
    const first = this.lines.textStart(line)
    return isHeaderRow(text, first, ends[line]!) && countCells(text, first, ends[line]!) === this.start.detail
  }

  /** Makes the line before a delimiter row the header of a table. */
  private startTable(line: number): LineKindValue {
    const { lines } = this
    const header = line - 1
    const interrupts = header > this.leafLine
    this.closeLeaf(header)
    this.leafLine = header
    this.mark(header, false, false)
    // A tag that could not interrupt the paragraph, but now follows it, is HTML in the reference parser.
    const isHtml = interrupts && readHtmlStart(lines.text, lines.textStart(header)) === 7
    this.leaf = isHtml ? HTML : TABLE
    if (isHtml) this.html.open(this.cursor, 7)
    lines.retype(header, line, LineKind.paragraph, isHtml ? LineKind.htmlFirst : LineKind.tableHeader)
    return isHtml ? LineKind.htmlInside : LineKind.tableDelimiter
  }

  /** Whether the text at the cursor starts a block other than a paragraph or a table row. */
  private startsBlock(): boolean {
    const { constructs } = this.start
    return (
      this.cursor.indent >= 4 ||
      (constructs & (Construct.atx | Construct.thematicBreak | Construct.fence | Construct.html)) !== 0
    )
  }

  private startLeaf(line: number): LineKindValue {
    const { cursor, start } = this
    this.leafLine = line
    if (cursor.indent >= 4) {
      this.leaf = INDENTED
      cursor.advance(4)
      return LineKind.indentedCode
    }
    const { constructs } = start
    if (constructs & Construct.atx) return LineKind.atxHeading
    if (constructs & Construct.thematicBreak) return LineKind.thematicBreak
    if (constructs & Construct.fence) {
      this.leaf = FENCE
      this.fence.open(cursor, start.detail)
      return LineKind.fenceOpen
    }
    if (constructs & Construct.html) {
      this.leaf = this.html.open(cursor, start.detail) ? HTML : NONE
      return LineKind.htmlFirst
    }
    this.leaf = PARAGRAPH
    return LineKind.paragraph
  }

  /** Ends the open leaf before `line`; returns how many lines at its start are definitions. */
  private closeLeaf(line: number): number {
    const { lines, leaf, leafLine } = this
    this.leaf = NONE
    if (leaf === HTML) {
      // An empty last line is only the end of the text.
      const isTextEnd = line === lines.count && lines.starts[line - 1] === lines.text.length
      lines.retype(line - (isTextEnd ? 2 : 1), line, LineKind.htmlInside, LineKind.htmlLast)
    }
    if (leaf !== PARAGRAPH || leafLine === line) return 0
    const { text, ends, contentStarts } = lines
    if (text.charCodeAt(lines.textStart(leafLine)) !== 91) return 0
    const definitions = readDefinitions({ text, starts: contentStarts, ends }, leafLine, line)
    lines.retype(leafLine, leafLine + definitions, LineKind.paragraph, LineKind.definition)
    return definitions
  }
}
