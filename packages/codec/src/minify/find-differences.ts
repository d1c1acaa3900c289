import { type BlockTable, LineKind, LineMark, isCodeKind } from '../markdown/line-table.ts'
import { inlineBlocks, listLabels } from '../markdown/inlines/inline-blocks.ts'
import { type Inline, readInlines } from '../markdown/read-inlines.ts'
import { countCells, skipSpaces } from '../markdown/table-row.ts'
import type { Draft, InlineBlock } from './draft.ts'
import type { EditedText } from './edited-text.ts'

const MARKS: number = LineMark.startsLeaf | LineMark.inContainer

/**
 * Compares a minified text with its source and returns the lines of the source at which they differ
 * beyond what the rules change. Each line of the text is a line of the source with the same role,
 * depth and constructs; each inline is the one of the source at its place.
 */
export function findDifferences(draft: Draft, edited: EditedText, table: BlockTable): Set<number> {
  const wrong = new Set<number>()
  const lines = mapLines(draft, edited, table, wrong)
  compareLines(draft, edited, table, lines, wrong)
  compareInlines(draft, edited, table, lines, wrong)
  return wrong
}

/** Of each line of the text: the line of the source that it is. */
function mapLines(draft: Draft, edited: EditedText, table: BlockTable, wrong: Set<number>): Int32Array {
  const lines = new Int32Array(table.count)
  let last = -1
  for (let line = 0; line < table.count; line++) {
    const offset = edited.toSource(table.starts[line]!)
    const mapped = draft.lineAt(offset)
    // A line begins where one of the source begins, or, of the last, where the text ends.
    const isStart = edited.isRemoved(draft.table.starts[mapped]!, offset) || offset === draft.text.length
    if (!isStart || mapped <= last) wrong.add(mapped)
    lines[line] = mapped
    last = mapped
  }
  return lines
}

function compareLines(
  { table: source, text }: Draft,
  edited: EditedText,
  table: BlockTable,
  lines: Int32Array,
  wrong: Set<number>,
): void {
  const roots = table.containers.filter(({ depth, kind }) => depth === 0 && kind !== 'item')
  const starts = new Set(roots.map(({ line }) => line))
  for (let line = 0; line < table.count; line++) {
    const from = lines[line]!
    const kind = source.kinds[from]!
    const found = table.kinds[line]!
    if (kind !== found && !mayBecome(source, from, found, edited)) wrong.add(from)
    else if (found === LineKind.blank && blankness(table, line) > 1) {
      // An item without text may begin a list, or belong to the one before it.
      if (blankness(source, from) < 2 || source.signatures[from] !== table.signatures[line]) wrong.add(from)
    } else if (found !== LineKind.blank && !isSame(source, from, table, line, edited, starts)) wrong.add(from)
    else if (found === LineKind.paragraph && breaks(table, line)) {
      const end = edited.toSource(table.ends[line]!)
      if (text.slice(end - 2, end) !== '  ' && !breaks(source, from)) wrong.add(from)
    } else if (
      isCodeKind(kind) &&
      text.slice(source.starts[from], source.ends[from]) !==
        table.text.slice(table.starts[line], table.ends[line])
    )
      wrong.add(from)
  }
}

/** Whether the rules may change the kind of a line so. */
function mayBecome(source: BlockTable, line: number, found: number, edited: EditedText): boolean {
  const kind = source.kinds[line]!
  if (!edited.isEdited(source.starts[line]!, source.ends[line]!)) return false
  if (kind === LineKind.headingText) return found === LineKind.atxHeading
  if (found === LineKind.paragraph || found === LineKind.htmlFirst) return isHtml(kind)
  return (
    found === LineKind.blank && (isHtml(kind) || kind === LineKind.paragraph || kind === LineKind.definition)
  )
}

function isHtml(kind: number): boolean {
  return kind >= LineKind.htmlFirst && kind <= LineKind.htmlLast
}

function isSame(
  source: BlockTable,
  from: number,
  table: BlockTable,
  line: number,
  edited: EditedText,
  starts: ReadonlySet<number>,
): boolean {
  const kind = table.kinds[line]!
  if (source.depths[from] !== table.depths[line]) return false
  // A definition may be the first of those that stay.
  if (kind === LineKind.definition && source.kinds[from] === kind && table.depths[line] === 0)
    return !edited.isEdited(source.starts[from]! + 1, source.ends[from]! - 1)
  if (((source.marks[from]! ^ table.marks[line]!) & MARKS) !== 0) return source.kinds[from] !== kind
  // A blank line before a line in a container makes its list loose, but not before its first line.
  const isInside = table.depths[line]! > 0 && !starts.has(line)
  if (isInside && blankness(source, from - 1) !== blankness(table, line - 1)) return false
  if (
    kind === LineKind.atxHeading &&
    !isWholeHeading(source, from, edited.toSource(table.bodyEnds[line]!), edited)
  )
    return false
  if (kind !== source.kinds[from]) return true
  if (kind === LineKind.tableDelimiter) return readColumns(source, from) === readColumns(table, line)
  const isFree = kind === LineKind.thematicBreak || isHtml(kind)
  if (isFree && edited.isEdited(source.starts[from]!, source.ends[from]!)) return true
  return source.signatures[from] === table.signatures[line]
}

/** Whether only blanks and removed text follow `end` in a heading: `# <!-- a -->#` is none. */
function isWholeHeading(source: BlockTable, line: number, end: number, edited: EditedText): boolean {
  for (let offset = end; offset < source.bodyEnds[line]!; offset++)
    if (source.text.charCodeAt(offset) > 32 && !edited.isRemoved(offset, offset + 1)) return false
  return true
}

/** Whether blanks at the end of a line break it. */
function breaks({ text, ends, kinds }: BlockTable, line: number): boolean {
  return text.slice(ends[line]! - 2, ends[line]) === '  ' && kinds[line + 1] === LineKind.paragraph
}

/** 0 for a line with content, 1 for a blank one, 2 for one with only container markers. */
function blankness({ text, kinds, starts, ends }: BlockTable, line: number): number {
  if (line < 0 || kinds[line] !== LineKind.blank) return 0
  return skipSpaces(text, starts[line]!, ends[line]!) === ends[line] ? 1 : 2
}

/** The alignments of a delimiter row. */
function readColumns({ text, contentStarts, ends }: BlockTable, line: number): string {
  const row = text.slice(contentStarts[line], ends[line])
  return `${countCells(row, 0, row.length)} ${row
    .replace(/[^:|-]/g, '')
    .replace(/-+/g, '-')
    .replace(/^\||\|$/g, '')}`
}

function compareInlines(
  draft: Draft,
  edited: EditedText,
  table: BlockTable,
  lines: Int32Array,
  wrong: Set<number>,
): void {
  const sources = new Map<number, InlineBlock>()
  for (const block of draft.blocks) {
    // What is inserted before a heading or an image is not in the source.
    const [part] = block.parts
    if (part !== undefined) sources.set(edited.toText(findStart(draft.text, part.start, part.end)), block)
  }
  const labels = listLabels(table)
  for (const block of inlineBlocks(table)) {
    const [part] = block.parts
    const line = lines[block.line]!
    const source = part === undefined ? undefined : sources.get(findStart(table.text, part.start, part.end))
    if (source !== undefined && !edited.isEdited(source.parts[0]!.start, source.parts.at(-1)!.end)) continue
    const found = readInlines(table.text, block.parts, labels)
    const expected = (source?.inlines ?? []).flatMap((inline) => expect(inline, edited) ?? [])
    // An image that was a tag, and a link of a vault, are no inlines of the source.
    const shown = found.filter(
      ({ kind, start }) => (kind !== 'image' && kind !== 'link') || !edited.isInserted(start),
    )
    const isEqual =
      shown.length === expected.length &&
      shown.every((inline, index) => isSameInline(inline, expected[index]!))
    if (!isEqual) for (let at = line; at <= (source?.last ?? line); at++) wrong.add(at)
  }
}

function findStart(text: string, start: number, end: number): number {
  let offset = start
  while (offset < end && text.charCodeAt(offset) <= 32) offset++
  return offset
}

type Place = Pick<Inline, 'kind' | 'start' | 'end' | 'close'>

/** The place that an inline of the source has in the text; undefined if it went. */
function expect({ kind, start, end, close }: Inline, edited: EditedText): Place | undefined {
  const at = edited.toText(start)
  if (at < 0 || edited.isRemoved(start, end)) return undefined
  const isLink = kind === 'link' || kind === 'image'
  return { kind, start: at, end: edited.toText(end), close: isLink ? edited.toText(close) : 0 }
}

function isSameInline(inline: Inline, expected: Place): boolean {
  if (inline.kind !== expected.kind || inline.start !== expected.start || inline.end !== expected.end)
    return false
  return (inline.kind !== 'link' && inline.kind !== 'image') || inline.close === expected.close
}
