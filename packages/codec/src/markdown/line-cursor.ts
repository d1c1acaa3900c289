/**
 * A position in a line, in characters and columns. A tab extends to the next multiple of four
 * columns and can be partly consumed (CommonMark 0.31, 2.2). `next` is the first character that is
 * not a space or tab.
 */
export class LineCursor {
  readonly text: string
  /** First character that is not fully consumed. */
  pos = 0
  end = 0
  next = 0
  /** Columns of white space between the position and `next`. */
  indent = 0
  /** All columns before this one are consumed. Greater than `posColumn` inside a tab. */
  private column = 0
  private posColumn = 0

  constructor(text: string) {
    this.text = text
  }

  get blank(): boolean {
    return this.next === this.end
  }

  /** Offset after all consumed characters, including a partly consumed tab. */
  get consumed(): number {
    return this.column > this.posColumn ? this.pos + 1 : this.pos
  }

  enter(start: number, end: number): void {
    this.pos = start
    this.end = end
    this.column = 0
    this.posColumn = 0
    this.measure()
  }

  advance(columns: number): void {
    if (columns >= this.indent) {
      this.posColumn = this.column = this.column + this.indent
      this.pos = this.next
      this.indent = 0
      return
    }
    let left = columns
    while (left > 0) {
      if (this.text.charCodeAt(this.pos) !== 9) {
        this.pos++
        this.column = ++this.posColumn
        left--
        continue
      }
      const tabEnd = (this.posColumn | 3) + 1
      const width = tabEnd - this.column
      if (width > left) {
        this.column += left
        break
      }
      this.pos++
      this.column = this.posColumn = tabEnd
      left -= width
    }
    this.indent -= columns
  }

  /** Consumes white space and the marker of `width` characters after it. */
  consumeMarker(width: number): void {
    this.column = this.posColumn = this.column + this.indent + width
    this.pos = this.next + width
    this.measure()
  }

  private measure(): void {
    const { text, end } = this
    let next = this.pos
    let column = this.posColumn
    while (next < end) {
      const code = text.charCodeAt(next)
      if (code === 32) column++
      else if (code === 9) column = (column | 3) + 1
      else break
      next++
    }
    this.next = next
    this.indent = column - this.column
  }
}
