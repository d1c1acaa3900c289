import {
  isCodeKind,
  isRowKind,
  isStructureKind,
  LineKind,
  type LineTable,
} from '../../markdown/line-table.ts'

export interface ProtectOptions {
  /** Whether fenced and indented code may be changed. @default false */
  readonly code?: boolean
  /** Whether terms are acronyms, which stand in prose only: not in the head of a table, nor in HTML. @default false */
  readonly readable?: boolean
}

/**
 * Returns the ranges that no replacement may overlap, so that all lines keep their structure and headings their words: `[start, end)` pairs
 * of UTF-16 offsets, rising and disjoint. Line endings are not included; no replacement may contain one either.
 *
 * @example
 * protectLines(scanLines('- some text')) // Int32Array [0, 2]
 */
export function protectLines(table: LineTable, options: ProtectOptions = {}): Int32Array<ArrayBuffer> {
  const { code = false, readable = false } = options
  const { text, count, starts, ends, bodyStarts, bodyEnds, kinds } = table
  const ranges = new RangeList(count)
  for (let line = 0; line < count; line++) {
    const kind = kinds[line]!
    const start = starts[line]!
    const end = ends[line]!
    if (
      isStructureKind(kind) ||
      isHeading(kind) ||
      (!code && isCodeKind(kind)) ||
      (readable && isMarkup(kind))
    ) {
      ranges.add(start, end)
      continue
    }
    ranges.add(start, bodyStarts[line]!)
    if (isRowKind(kind)) addPipes(text, bodyStarts[line]!, bodyEnds[line]!, ranges)
    ranges.add(bodyEnds[line]!, end)
  }
  return ranges.toArray()
}

function isHeading(kind: number): boolean {
  return kind === LineKind.atxHeading || kind === LineKind.headingText
}

function isMarkup(kind: number): boolean {
  return kind === LineKind.htmlInside || kind === LineKind.tableHeader
}

/** A growing list of `[start, end)` ranges, added in rising order; adjacent ones are joined. */
class RangeList {
  private values: Int32Array<ArrayBuffer>
  private length = 0

  constructor(capacity: number) {
    this.values = new Int32Array(2 * capacity + 16)
  }

  add(start: number, end: number): void {
    if (end <= start) return
    const { values, length } = this
    if (length > 0 && values[length - 1]! >= start) {
      if (end > values[length - 1]!) values[length - 1] = end
      return
    }
    if (length + 2 > values.length) {
      this.values = new Int32Array(2 * values.length)
      this.values.set(values)
    }
    this.values[length] = start
    this.values[length + 1] = end
    this.length = length + 2
  }

  toArray(): Int32Array<ArrayBuffer> {
    return this.values.slice(0, this.length)
  }
}

/** Adds the unescaped pipes between two offsets. */
function addPipes(text: string, start: number, end: number, ranges: RangeList): void {
  for (let offset = start; offset < end; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 124) ranges.add(offset, offset + 1)
    else if (code === 92) offset++
  }
}
