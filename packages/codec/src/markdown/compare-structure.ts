import type { LineTable } from './line-table.ts'

/**
 * Lines, rising, on which two tables of equal line counts differ in structure; empty means equal block trees. If any,
 * at least one of them is a line whose text differs: where only others are affected, the nearest changed lines are
 * added. Undoing the changes on these lines, again and again, ends with equal trees.
 *
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

/** Adds the changed lines among and next to lines of which none is changed. */
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
