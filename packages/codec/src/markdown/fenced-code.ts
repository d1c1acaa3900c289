import type { LineCursor } from './line-cursor.ts'
import { skipSpaces } from './table-row.ts'

/**
 * Returns the length of the opening fence at an offset; 0 if there is none.
 *
 *     opening-fence = "`"{3,} text without "`" end-of-line
 *                   | "~"{3,} text end-of-line
 *
 * {@link OpenFence} reads the closing fence.
 */
export function readFenceStart(text: string, start: number, end: number): number {
  const code = text.charCodeAt(start)
  if (code !== 96 && code !== 126) return 0
  let offset = start + 1
  while (offset < end && text.charCodeAt(offset) === code) offset++
  const run = offset - start
  if (run < 3) return 0
  return code === 96 && text.slice(offset, end).includes('`') ? 0 : run
}

/**
 * The opening fence of the code block being read.
 *
 *     closing-fence = space{0,3} marker{n,} white-space* end-of-line
 *
 * The marker is the same as in the opening fence, and n is its length. Without a closing fence, the
 * code block ends with its container or with the text.
 */
export class OpenFence {
  /** Indentation of the fence in columns. At most as much is removed from each line of code. */
  private indent = 0
  private code = 0
  private run = 0

  open(cursor: LineCursor, run: number): void {
    this.indent = cursor.indent
    this.code = cursor.text.charCodeAt(cursor.next)
    this.run = run
  }

  /** Whether the line is code. If so, consumes the indentation of the fence. */
  continues(cursor: LineCursor): boolean {
    if (this.isClosedBy(cursor)) return false
    cursor.advance(Math.min(this.indent, cursor.indent))
    return true
  }

  private isClosedBy(cursor: LineCursor): boolean {
    const { text, next, end } = cursor
    if (cursor.indent >= 4) return false
    let offset = next
    while (offset < end && text.charCodeAt(offset) === this.code) offset++
    return offset - next >= this.run && skipSpaces(text, offset, end) === end
  }
}
