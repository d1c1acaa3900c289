import type { LineCursor } from './line-cursor.ts'
import { skipSpaces } from './table-row.ts'

/** The fence that opened the code block being read. */
export class OpenFence {
  /** Columns of white space that belong to the fence on each line of its code. */
  private indent = 0
  private code = 0
  private run = 0

  /** Opens at a fence of `run` marks at the cursor. */
  open(cursor: LineCursor, run: number): void {
    this.indent = cursor.indent
    this.code = cursor.text.charCodeAt(cursor.next)
    this.run = run
  }

  /** Whether the line at the cursor is code, whose white space of the fence is then consumed, and not the closing fence. */
  goesOn(cursor: LineCursor): boolean {
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
