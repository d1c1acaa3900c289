import { skipSpaces } from './table-row.ts'

/** The role of a line in its block, as in `LineTable.kinds`. */
export const LineKind = {
  blank: 0,
  /** Text of a paragraph, including lazy continuation lines. */
  paragraph: 1,
  atxHeading: 2,
  /** Text above a setext underline. */
  headingText: 3,
  setextUnderline: 4,
  thematicBreak: 5,
  fenceOpen: 6,
  fenceClose: 7,
  fencedCode: 8,
  indentedCode: 9,
  /** First or only line of an HTML block. */
  htmlFirst: 10,
  htmlInside: 11,
  htmlLast: 12,
  tableHeader: 13,
  tableDelimiter: 14,
  tableRow: 15,
  /** Any line of a link reference definition. */
  definition: 16,
  frontMatter: 17,
  /** A line nested deeper than the scanner follows: nothing in it may be replaced. */
  opaque: 18,
} as const

export type LineKindValue = (typeof LineKind)[keyof typeof LineKind]

/** What starts or ends at a line; `LineTable.marks` has sums of these. */
export const LineMark = {
  /** A block at the root of the document starts on this line. */
  startsBlock: 1,
  /** A list item ended before this line. */
  endsItem: 2,
  /** A block without child blocks, such as a paragraph or heading, starts here. */
  startsLeaf: 4,
  inContainer: 8,
} as const

/** Lines by number from 0, with their roles. Offsets are in UTF-16 units. */
export interface LineTable {
  readonly text: string
  /** A text that ends with a line ending has an empty last line. */
  readonly count: number
  readonly starts: Uint32Array
  /** Without line endings. */
  readonly ends: Uint32Array
  /** Start of what may be replaced: after markers, indentation, task boxes and `#` marks. */
  readonly bodyStarts: Uint32Array
  /** End of what may be replaced: before white space and the closing `#` run of a heading. */
  readonly bodyEnds: Uint32Array
  readonly kinds: Uint8Array
  /** Sums of {@link LineMark}. Definitions that begin a paragraph count as part of it. */
  readonly marks: Uint8Array
  /** Hash of everything on the line that affects the block tree. */
  readonly signatures: Int32Array
}

/** A line table with the containers of the lines. */
export interface BlockTable extends LineTable {
  /** Starts of the content after the markers of the open containers. */
  readonly contentStarts: Uint32Array
  readonly depths: Uint8Array
  /** In the order in which they open. */
  readonly containers: readonly Container[]
}

export interface Container {
  /** `list` is a list with its first item, `item` another item of a list. */
  readonly kind: 'quote' | 'list' | 'item' | 'footnote'
  readonly line: number
  readonly depth: number
  /** Offset of its marker; of an `item`, of what follows the marker. */
  readonly marker: number
}

/** Whether a kind is code, not counting fences. */
export function isCodeKind(kind: number): boolean {
  return kind === LineKind.fencedCode || kind === LineKind.indentedCode
}

/** Whether a kind is a line of fenced code, including its fences. */
export function isFencedKind(kind: number): boolean {
  return kind === LineKind.fenceOpen || kind === LineKind.fencedCode || kind === LineKind.fenceClose
}

export function isRowKind(kind: number): boolean {
  return kind === LineKind.tableHeader || kind === LineKind.tableRow
}

/** Whether lines of a kind are pure structure, so that nothing in them may be replaced. */
export function isStructureKind(kind: number): boolean {
  return STRUCTURE.has(kind)
}

const STRUCTURE: ReadonlySet<number> = new Set([
  LineKind.blank,
  LineKind.setextUnderline,
  LineKind.thematicBreak,
  LineKind.fenceOpen,
  LineKind.fenceClose,
  LineKind.htmlFirst,
  LineKind.htmlLast,
  LineKind.tableDelimiter,
  LineKind.definition,
  LineKind.frontMatter,
  LineKind.opaque,
])

export class LineArrays {
  readonly text: string
  readonly count: number
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly bodyStarts: Uint32Array
  readonly contentStarts: Uint32Array
  readonly kinds: Uint8Array
  /** Hashes of what is known about each line when it is read. */
  readonly signatures: Int32Array
  /** 1 for lines that would be a delimiter row in some context. */
  readonly delimiters: Uint8Array
  /** 1 for lines whose content is indented by at least four columns. */
  readonly indented: Uint8Array
  readonly marks: Uint8Array
  readonly depths: Uint8Array
  readonly containers: Container[] = []

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
    this.depths = new Uint8Array(count)
  }

  /** Offset of the first character of a line's content that is not white space. */
  textStart(line: number): number {
    const { text, ends, contentStarts } = this
    return skipSpaces(text, contentStarts[line]!, ends[line]!)
  }

  /** Changes lines of kind `kind` in `[from, to)` to kind `other`. */
  retype(from: number, to: number, kind: number, other: number): void {
    for (let line = from; line < to; line++) if (this.kinds[line] === kind) this.kinds[line] = other
  }
}

/** `ends` exclude line endings. */
export interface LineOffsets {
  readonly count: number
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

/** Splits at `\n`, `\r\n` and `\r`, as CommonMark does: n endings make n + 1 lines. */
export function splitLines(text: string): LineOffsets {
  const length = text.length
  const starts: number[] = []
  const ends: number[] = []
  let start = 0
  for (let offset = 0; offset < length; offset++) {
    const code = text.charCodeAt(offset)
    if (code > 13 || (code !== 10 && code !== 13)) continue
    starts.push(start)
    ends.push(offset)
    if (code === 13 && text.charCodeAt(offset + 1) === 10) offset++
    start = offset + 1
  }
  starts.push(start)
  ends.push(length)
  return { count: starts.length, starts: new Uint32Array(starts), ends: new Uint32Array(ends) }
}

/** 1 if the text starts with a byte order mark, else 0. */
export function bomLength(text: string): number {
  return text.charCodeAt(0) === 0xfeff ? 1 : 0
}
