import { isCodeKind, isRowKind, isStructureKind, type LineTable } from './line-table.ts'
import { addPipes, RangeList } from './range-list.ts'

export interface ProtectOptions {
  /** May fenced and indented code be touched. @default false */
  readonly code?: boolean
}

/**
 * The places a replacement must not overlap so that lines keep their structure: `[start, end)` pairs of UTF-16 offsets,
 * rising and apart. Line endings are not among them; no replacement may hold one either.
 *
 * @example
 * protectLines(scanLines('- some text')) // Int32Array [0, 2]
 */
export function protectLines(table: LineTable, options: ProtectOptions = {}): Int32Array<ArrayBuffer> {
  const { code = false } = options
  const { text, count, starts, ends, bodyStarts, bodyEnds, kinds } = table
  const ranges = new RangeList(count)
  for (let line = 0; line < count; line++) {
    const kind = kinds[line]!
    const start = starts[line]!
    const end = ends[line]!
    if (isStructureKind(kind) || (!code && isCodeKind(kind))) {
      ranges.add(start, end)
      continue
    }
    ranges.add(start, bodyStarts[line]!)
    if (isRowKind(kind)) addPipes(text, bodyStarts[line]!, bodyEnds[line]!, ranges)
    ranges.add(bodyEnds[line]!, end)
  }
  return ranges.toArray()
}
