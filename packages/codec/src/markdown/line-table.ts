/** What a line is in its block; the value of `LineTable.kinds`. */
export const LineKind = {
  blank: 0,
  /** Text of a paragraph, lazy continuation lines included. */
  paragraph: 1,
  /** `# heading`. */
  atxHeading: 2,
  /** Text above a setext underline. */
  headingText: 3,
  setextUnderline: 4,
  thematicBreak: 5,
  fenceOpen: 6,
  fenceClose: 7,
  fencedCode: 8,
  indentedCode: 9,
  /** First line of an HTML block, or its only one. */
  htmlFirst: 10,
  htmlInside: 11,
  htmlLast: 12,
  tableHeader: 13,
  tableDelimiter: 14,
  tableRow: 15,
  /** Any line of a link reference definition. */
  definition: 16,
  frontMatter: 17,
  /** A line nested deeper than the scanner follows: nothing in it may be touched. */
  opaque: 18,
} as const

export type LineKindValue = (typeof LineKind)[keyof typeof LineKind]

/** What begins or ends at a line; `LineTable.marks` holds sums of these. */
export const LineMark = {
  /** A block at the root of the document begins with this line. */
  startsBlock: 1,
  /** A list item ended before this line. */
  endsItem: 2,
  /** A paragraph, heading or other block without blocks inside begins with this line. */
  startsLeaf: 4,
} as const

/** The lines of a text with their place in the block structure; index = line number from 0, offsets in UTF-16 units. */
export interface LineTable {
  readonly text: string
  /** Number of lines; a text that ends with a line ending has an empty last line. */
  readonly count: number
  readonly starts: Uint32Array
  /** Ends without the line ending. */
  readonly ends: Uint32Array
  /** Where replaceable content begins: after container markers, indentation, task boxes and `#` marks. */
  readonly bodyStarts: Uint32Array
  /** Where it ends: before trailing white space and the closing `#` run of a heading. */
  readonly bodyEnds: Uint32Array
  /** Values of {@link LineKind}. */
  readonly kinds: Uint8Array
  /** Sums of {@link LineMark} values; definitions at the start of a paragraph count as part of it. */
  readonly marks: Uint8Array
  /** Hash of all that decides the block tree on this line. */
  readonly signatures: Int32Array
}

/** Whether a kind is code, fences excluded. */
export function isCodeKind(kind: number): boolean {
  return kind === LineKind.fencedCode || kind === LineKind.indentedCode
}

/** Whether unescaped pipes divide cells in lines of a kind. */
export function isRowKind(kind: number): boolean {
  return kind === LineKind.tableHeader || kind === LineKind.tableRow
}

/** Whether lines of a kind are pure structure, untouchable as a whole. */
export function isStructureKind(kind: number): boolean {
  return STRUCTURE[kind] === 1
}

const STRUCTURE = new Uint8Array(19)
for (const kind of [
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
]) {
  STRUCTURE[kind] = 1
}
