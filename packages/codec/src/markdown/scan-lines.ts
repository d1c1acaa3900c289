import { LineScanner } from './line-scanner.ts'
import { finishHash, HASH_SEED, mixHash, mixText } from './line-signature.ts'
import {
  bomLength,
  isStructureKind,
  LineArrays,
  LineKind,
  type LineOffsets,
  type BlockTable,
  splitLines,
} from './line-table.ts'
import { countCells, skipSpaces, trimEnd } from './table-row.ts'

export interface ScanOptions {
  /** Whether YAML between `---` lines at the start of the text is front matter. @default true */
  readonly frontMatter?: boolean
}

/**
 * Reads the block structure of a markdown text (CommonMark 0.31 with GFM tables, task lists and
 * footnotes, and YAML front matter) line by line. Takes linear time for every string. Two texts
 * with equal line counts and equal signatures have the same block tree in the reference parser
 * (micromark 4), including its deviations from CommonMark.
 */
export function scanLines(text: string, { frontMatter = true }: ScanOptions = {}): BlockTable {
  const offsets = splitLines(text)
  const matter = frontMatter ? findFrontMatter(text, offsets) : 0
  const scan = (firstLine: number, flat: boolean): BlockTable =>
    finish(new LineScanner(new LineArrays(text, offsets), flat).scan(firstLine))
  const table = scan(Math.max(matter, 0), false)
  if (matter >= 0) return table
  // Front matter is opened but never closed. Parsers that support front matter then ignore containers, others
  // do not.
  return merge(table, scan(0, true))
}

/**
 * Number of lines of YAML front matter with delimiters; 0 if there is none, -1 if it is open.
 *
 *     front-matter = byte-order-mark? delimiter line* delimiter
 *     delimiter    = "---" (space | tab)* end-of-line
 */
function findFrontMatter(text: string, lines: LineOffsets): number {
  if (lines.count < 2 || !isMatterDelimiter(text, bomLength(text), lines.ends[0]!)) return 0
  for (let line = 1; line < lines.count; line++) {
    if (isMatterDelimiter(text, lines.starts[line]!, lines.ends[line]!)) return line + 1
  }
  return -1
}

function isMatterDelimiter(text: string, start: number, end: number): boolean {
  return text.startsWith('---', start) && skipSpaces(text, start + 3, end) === end
}

/** Adds to the signatures what is known only at the end of a block. */
function finish(lines: LineArrays): BlockTable {
  const { text, count, starts, ends, bodyStarts, kinds, marks, signatures, contentStarts, delimiters } = lines
  const bodyEnds = new Uint32Array(count)
  for (let line = 0; line < count; line++) {
    const kind = kinds[line]!
    const start = starts[line]!
    const end = ends[line]!
    let hash = mixHash(signatures[line]!, kind)
    if (isStructureKind(kind)) {
      hash = mixText(hash, text, start, end)
      bodyStarts[line] = end
    } else if (kind === LineKind.tableHeader || kind === LineKind.tableRow || delimiters[line + 1] === 1) {
      hash = mixHash(hash, countCells(text, contentStarts[line]!, end))
    }
    signatures[line] = finishHash(hash)
    bodyEnds[line] = findBodyEnd(text, kind, bodyStarts[line]!, end)
  }
  const { depths, containers } = lines
  const table = { text, count, starts, ends, contentStarts, bodyStarts, bodyEnds, kinds, marks, signatures }
  return { ...table, depths, containers }
}

function findBodyEnd(text: string, kind: number, start: number, end: number): number {
  let bodyEnd = trimEnd(text, start, end)
  if (kind !== LineKind.atxHeading || text.charCodeAt(bodyEnd - 1) !== 35) return bodyEnd
  while (bodyEnd > start && text.charCodeAt(bodyEnd - 1) === 35) bodyEnd--
  const trimmed = trimEnd(text, start, bodyEnd)
  return trimmed < bodyEnd || bodyEnd === start ? trimmed : trimEnd(text, start, end)
}

/** Merges two readings of a text: what either protects is protected. */
function merge(table: BlockTable, other: BlockTable): BlockTable {
  for (let line = 0; line < table.count; line++) {
    const agree = table.kinds[line] === other.kinds[line]
    other.signatures[line] = finishHash(
      mixHash(mixHash(HASH_SEED, table.signatures[line]!), other.signatures[line]!),
    )
    other.bodyStarts[line] = Math.max(table.bodyStarts[line]!, other.bodyStarts[line]!)
    other.bodyEnds[line] = Math.max(
      other.bodyStarts[line]!,
      Math.min(table.bodyEnds[line]!, other.bodyEnds[line]!),
    )
    if (!agree) other.bodyEnds[line] = other.bodyStarts[line] = other.ends[line]!
  }
  return other
}
