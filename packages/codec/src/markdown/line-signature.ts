import { type BlockStart, Construct, CONTAINER_CONSTRUCTS } from './block-start.ts'
import { endSearchStart, endsHtml, htmlOpeningWidth } from './html-block.ts'
import type { LineTable } from './line-table.ts'
import { skipSpaces } from './table-row.ts'

/** Most markers to read. After them, the rest of the line counts as structure. */
const MOST_MARKERS = 100

const WHOLE_LINE: number =
  Construct.thematicBreak | Construct.setext | Construct.fence | Construct.delimiterRow

/**
 * Hashes the constructs that the content of a line could start in any context. In equal contexts,
 * two lines with equal constructs and equal text up to `bodyStart` affect the block tree in the
 * same way, even if the scanner gets the context wrong.
 */
export class LineSignature {
  hash = 0
  bodyStart = 0
  isDelimiterRow = false
  private readonly start: BlockStart

  constructor(start: BlockStart) {
    this.start = start
  }

  /** Reads `[start, end)`, whose first character is not white space. */
  read(start: number, end: number): void {
    this.hash = 0
    this.isDelimiterRow = false
    this.bodyStart = this.readMarkers(start, end)
  }

  private readMarkers(from: number, end: number): number {
    const { start } = this
    let offset = from
    for (let count = 0; count < MOST_MARKERS; count++) {
      start.read(offset, end)
      const { constructs } = start
      if (constructs === 0) return offset
      this.hash = mixHash(mixHash(this.hash, constructs), start.detail)
      if (constructs & Construct.delimiterRow) this.isDelimiterRow = true
      if (constructs & WHOLE_LINE) return end
      if (constructs & Construct.html) {
        this.mixHtmlEnd(offset, end)
        return offset + htmlOpeningWidth(start.detail, start.text, offset, end)
      }
      offset = skipSpaces(start.text, offset + start.width, end)
      if ((constructs & CONTAINER_CONSTRUCTS) === 0) return offset
    }
    return end
  }

  private mixHtmlEnd(offset: number, end: number): void {
    const kind = this.start.detail
    const ends = endsHtml(kind, this.start.text, endSearchStart(kind, offset), end)
    this.hash = mixHash(this.hash, ends ? 1 : 0)
  }
}

export const HASH_SEED: number = 0x811c9dc5 | 0

/** Adds a number to a hash (FNV-1a on whole units). */
export function mixHash(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193)
}

export function mixText(hash: number, text: string, start: number, end: number): number {
  let mixed = mixHash(hash, end - start)
  for (let offset = start; offset < end; offset++) {
    mixed = Math.imul(mixed ^ text.charCodeAt(offset), 0x01000193)
  }
  return mixed
}

export function finishHash(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/**
 * Returns the lines, ascending, where two tables with equal line counts differ in structure. None
 * means equal block trees. The text of at least one of them differs: if only unchanged lines are
 * affected, the nearest changed lines are added. So repeatedly undoing the changes on these lines
 * ends with equal trees.
 * @throws {RangeError} if the line counts differ
 */
export function compareStructure(source: LineTable, content: LineTable): number[] {
  if (source.count !== content.count) {
    throw new RangeError(`Line counts differ: ${source.count} and ${content.count}`)
  }
  const lines: number[] = []
  let changed = false
  for (let line = 0; line < source.count; line++) {
    if (source.signatures[line] === content.signatures[line]) continue
    lines.push(line)
    changed ||= isChanged(source, content, line)
  }
  return changed || lines.length === 0 ? lines : withChangedLines(source, content, lines)
}

function isChanged(source: LineTable, content: LineTable, line: number): boolean {
  const start = source.starts[line]!
  const length = source.ends[line]! - start
  const other = content.starts[line]!
  if (content.ends[line]! - other !== length) return true
  for (let offset = 0; offset < length; offset++) {
    if (source.text.charCodeAt(start + offset) !== content.text.charCodeAt(other + offset)) return true
  }
  return false
}

/** Adds the changed lines between and nearest to unchanged `lines`. */
function withChangedLines(source: LineTable, content: LineTable, lines: readonly number[]): number[] {
  let first = lines[0]! - 1
  while (first >= 0 && !isChanged(source, content, first)) first--
  let last = lines.at(-1)! + 1
  while (last < source.count && !isChanged(source, content, last)) last++
  const found = new Set(lines)
  for (let line = Math.max(first, 0); line <= last && line < source.count; line++) {
    if (isChanged(source, content, line)) found.add(line)
  }
  return [...found].sort((a, b) => a - b)
}
