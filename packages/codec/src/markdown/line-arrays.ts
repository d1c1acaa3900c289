import { skipSpaces } from './table-row.ts'
import type { LineOffsets } from './split-lines.ts'

/** What a scan records of each line. */
export class LineArrays {
  readonly text: string
  readonly count: number
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly bodyStarts: Uint32Array
  /** Where the content of a line begins after the markers of its open containers. */
  readonly contentStarts: Uint32Array
  readonly kinds: Uint8Array
  /** Hashes of what is known of a line when it is read. */
  readonly signatures: Int32Array
  /** 1 for lines that read as a delimiter row, whatever their context. */
  readonly delimiters: Uint8Array
  /** 1 for lines whose content is indented by four columns or more. */
  readonly indented: Uint8Array
  /** Sums of LineMark values. */
  readonly marks: Uint8Array

  constructor(text: string, { count, starts, ends }: LineOffsets) {
    this.text = text
    this.count = count
    this.starts = starts
    this.ends = ends
    this.bodyStarts = new Uint32Array(count)
    this.contentStarts = new Uint32Array(count)
    this.kinds = new Uint8Array(count)
    this.signatures = new Int32Array(count)
    this.delimiters = new Uint8Array(count)
    this.indented = new Uint8Array(count)
    this.marks = new Uint8Array(count)
  }

  /** Offset of the first character of the content of a line that is no white space. */
  textStart(line: number): number {
    const { text, ends, contentStarts } = this
    return skipSpaces(text, contentStarts[line]!, ends[line]!)
  }

  /** Changes the kind of lines `[from, to)` that were taken for another one when they were read. */
  retype(from: number, to: number, kind: number, other: number): void {
    for (let line = from; line < to; line++) if (this.kinds[line] === kind) this.kinds[line] = other
  }
}
