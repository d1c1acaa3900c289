import { endSearchStart, endsHtml } from './html-block.ts'
import type { LineCursor } from './line-cursor.ts'

/** The HTML block being read. */
export class OpenHtml {
  private kind = 0

  /** Whether a blank line ends it (kinds 6 and 7 of CommonMark 0.31, 4.6). */
  get endsAtBlank(): boolean {
    return this.kind >= 6
  }

  /** Opens a block of a kind on the line at the cursor; returns whether it goes on after that line. */
  open(cursor: LineCursor, kind: number): boolean {
    this.kind = kind
    return !endsHtml(kind, cursor.text, endSearchStart(kind, cursor.next), cursor.end)
  }

  /** Whether the line at the cursor is the last. */
  isClosedBy(cursor: LineCursor): boolean {
    return endsHtml(this.kind, cursor.text, cursor.pos, cursor.end)
  }
}
