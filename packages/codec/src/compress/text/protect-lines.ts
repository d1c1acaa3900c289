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
  /**
   * Whether terms are acronyms, which appear in prose only: not in table headers or HTML.
   * @default false
   */
  readonly readable?: boolean
}

/**
 * Returns the ranges that no replacement may overlap, so that lines keep their structure and
 * headings their words: ascending, disjoint `[start, end)` pairs of UTF-16 offsets. Line endings
 * are not included, although no replacement may contain one either.
 *
 * @example
 * protectLines(scanLines('- some text')) // Int32Array [0, 2]
 */
export function protectLines(table: LineTable, options: ProtectOptions = {}): Int32Array<ArrayBuffer> {
  const { code = false, readable = false } = options
  const { text, count, starts, ends, bodyStarts, bodyEnds, kinds } = table
  const ranges: number[] = []
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
      addRange(ranges, start, end)
      continue
    }
    addRange(ranges, start, bodyStarts[line]!)
    if (isRowKind(kind)) addPipes(text, bodyStarts[line]!, bodyEnds[line]!, ranges)
    addRange(ranges, bodyEnds[line]!, end)
  }
  return new Int32Array(ranges)
}

function isHeading(kind: number): boolean {
  return kind === LineKind.atxHeading || kind === LineKind.headingText
}

function isMarkup(kind: number): boolean {
  return kind === LineKind.htmlInside || kind === LineKind.tableHeader
}

/** Appends a range, joined with the last one if they touch. */
function addRange(ranges: number[], start: number, end: number): void {
  if (end <= start) return
  const last = ranges.length - 1
  if (last > 0 && ranges[last]! >= start) ranges[last] = Math.max(ranges[last]!, end)
  else ranges.push(start, end)
}

function addPipes(text: string, start: number, end: number, ranges: number[]): void {
  for (let offset = start; offset < end; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 124) addRange(ranges, offset, offset + 1)
    else if (code === 92) offset++
  }
}
