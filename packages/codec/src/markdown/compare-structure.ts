import type { LineTable } from './line-table.ts'

/**
 * Returns the lines, rising, on which two tables with equal line counts differ in structure; none means equal
 * block trees.
 *
 * At least one of them is a line whose text differs: if only other lines are affected, the nearest changed lines
 * are added. So undoing the changes on these lines, repeatedly, ends with equal trees.
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

/** Adds the changed lines between and next to lines of which none is changed. */
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
