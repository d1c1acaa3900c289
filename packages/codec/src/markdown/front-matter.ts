import type { LineOffsets } from './split-lines.ts'
import { skipSpaces } from './table-row.ts'

/** Lines of the YAML front matter, its fences included; 0 if there is none, -1 if it is opened and never closed. */
export function findFrontMatter(text: string, lines: LineOffsets): number {
  if (lines.count < 2 || !isFence(text, bomLength(text), lines.ends[0]!)) return 0
  for (let line = 1; line < lines.count; line++) {
    if (isFence(text, lines.starts[line]!, lines.ends[line]!)) return line + 1
  }
  return -1
}

/** 1 if the text begins with a byte order mark, else 0. */
export function bomLength(text: string): number {
  return text.charCodeAt(0) === 0xfeff ? 1 : 0
}

function isFence(text: string, start: number, end: number): boolean {
  return text.startsWith('---', start) && skipSpaces(text, start + 3, end) === end
}
