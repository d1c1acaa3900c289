import { type BlockStart, Construct } from './block-start.ts'
import type { LineCursor } from './line-cursor.ts'
import { skipSpaces } from './table-row.ts'

/** Maximum depth of containers. Deeper ones are not tracked. */
export const MAX_DEPTH = 100

const QUOTE = 1
const LIST = 2
const FOOTNOTE = 3

export class ContainerStack {
  depth = 0
  /** Whether the last line started another item of an open list. */
  startedItem = false
  private readonly types = new Uint8Array(MAX_DEPTH)
  /** The bullet, or the delimiter after the number, of each list item. */
  private readonly markers = new Uint8Array(MAX_DEPTH)
  /** Columns of indentation that continue a list item. */
  private readonly sizes = new Uint32Array(MAX_DEPTH)
  /** 1: the item began with a blank line. 2: a second one ended it. */
  private readonly blanks = new Uint8Array(MAX_DEPTH)

  /** Consumes the markers of the open containers that go on, and returns their number. */
  continueLine(cursor: LineCursor, start: BlockStart): number {
    this.startedItem = false
    let index = 0
    for (; index < this.depth; index++) {
      const type = this.types[index]
      if (type === LIST) {
        if (!this.continueItem(cursor, start, index)) break
        if (this.startedItem) return this.depth
      } else if (type === QUOTE) {
        if (cursor.indent > 3 || cursor.blank || cursor.text.charCodeAt(cursor.next) !== 62) break
        consumeQuote(cursor)
      } else if (!cursor.blank) {
        // In the reference parser the indentation of a footnote also counts for the containers that start on
        // its first line.
        if (cursor.indent === 0 && index > 0 && this.types[index - 1] === FOOTNOTE) continue
        if (cursor.indent < 4) break
        cursor.advance(4)
      }
    }
    return index
  }

  hasItem(from: number, to: number): boolean {
    for (let index = from; index < to; index++) if (this.types[index] === LIST) return true
    return false
  }

  /**
   * Opens a container at the cursor inside the first `matched` ones and closes the others, if
   * `start`, read there, is a container marker. An item that interrupts a paragraph must not be
   * empty or have a number other than 1.
   */
  open(cursor: LineCursor, start: BlockStart, matched: number, interrupts: boolean): boolean {
    const { constructs } = start
    if (constructs & Construct.quote) {
      consumeQuote(cursor)
      this.push(matched, QUOTE)
      return true
    }
    if (constructs & Construct.footnote) {
      cursor.consumeMarker(start.width)
      cursor.advance(cursor.indent)
      this.push(matched, FOOTNOTE)
      return true
    }
    if (!isItem(constructs)) return false
    if (interrupts && !canInterrupt(cursor, start)) return false
    this.push(matched, LIST)
    this.markers[matched] = markerOf(cursor, start)
    this.enterItem(cursor, start, matched)
    return true
  }

  private push(index: number, type: number): void {
    this.types[index] = type
    this.depth = index + 1
  }

  private continueItem(cursor: LineCursor, start: BlockStart, index: number): boolean {
    if (cursor.blank) {
      if (this.blanks[index] === 1) this.blanks[index] = 2
      cursor.advance(this.sizes[index]!)
      return true
    }
    const ended = this.blanks[index] === 2
    this.blanks[index] = 0
    if (!ended && cursor.indent > 0 && cursor.indent >= this.sizes[index]!) {
      cursor.advance(this.sizes[index]!)
      return true
    }
    if (cursor.indent > 3) return false
    start.read(cursor.next, cursor.end)
    if (!isItem(start.constructs) || markerOf(cursor, start) !== this.markers[index]) return false
    this.depth = index + 1
    this.startedItem = true
    this.enterItem(cursor, start, index)
    return true
  }

  private enterItem(cursor: LineCursor, start: BlockStart, index: number): void {
    const prefix = cursor.indent + start.width
    cursor.consumeMarker(start.width)
    this.blanks[index] = cursor.blank ? 1 : 0
    if (cursor.blank) {
      this.sizes[index] = prefix + 1
      return
    }
    const space = cursor.indent > 4 ? 1 : cursor.indent
    this.sizes[index] = prefix + space
    cursor.advance(space)
  }
}

function isItem(constructs: number): boolean {
  return (
    (constructs & Construct.ordered) !== 0 ||
    (constructs & (Construct.bullet | Construct.thematicBreak)) === Construct.bullet
  )
}

function markerOf(cursor: LineCursor, start: BlockStart): number {
  return cursor.text.charCodeAt(cursor.next + start.width - 1)
}

function canInterrupt(cursor: LineCursor, start: BlockStart): boolean {
  const { text, next, end } = cursor
  if ((start.constructs & Construct.ordered) !== 0 && (start.width !== 2 || text.charCodeAt(next) !== 49))
    return false
  return skipSpaces(text, next + start.width, end) < end
}

function consumeQuote(cursor: LineCursor): void {
  cursor.consumeMarker(1)
  cursor.advance(1)
}
