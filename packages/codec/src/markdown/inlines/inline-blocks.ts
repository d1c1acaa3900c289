import { eachDefinition, joinLines, footnoteLabel, LinkParts, normalizeLabel } from './link-parts.ts'
import { type BlockTable, isRowKind, LineKind, LineMark } from '../line-table.ts'
import { skipSpaces, trimEnd } from '../table-row.ts'

/** A part of a line: its content after the markers of containers. */
export interface LinePart {
  readonly start: number
  readonly end: number
}

/** A paragraph, the text of a heading or a table cell. */
export interface InlineBlock {
  readonly line: number
  /** Its last line. */
  readonly last: number
  readonly parts: readonly LinePart[]
}

/** Lists the blocks that have inline content, in order; of tables each cell. */
export function* inlineBlocks(table: BlockTable): Generator<InlineBlock, void, undefined> {
  const { count, kinds, marks, bodyStarts, bodyEnds } = table
  const startsItem = findItemStarts(table)
  for (let line = 0; line < count; line++) {
    const kind = kinds[line]!
    if (kind === LineKind.atxHeading) {
      yield { line, last: line, parts: [{ start: bodyStarts[line]!, end: bodyEnds[line]! }] }
    } else if (isRowKind(kind)) {
      for (const cell of readCells(table, line)) yield { line, last: line, parts: [cell] }
    } else if (kind === LineKind.paragraph || kind === LineKind.headingText) {
      const first = line
      const parts = [{ start: textStart(table, line, startsItem.has(line)), end: table.ends[line]! }]
      while (kinds[line + 1] === kind && (marks[line + 1]! & LineMark.startsLeaf) === 0) {
        line++
        parts.push({ start: textStart(table, line, false), end: table.ends[line]! })
      }
      yield { line: first, last: line, parts }
    }
  }
}

/** Lines whose content is the first of a list item. */
function findItemStarts({ containers, kinds }: BlockTable): Set<number> {
  const lines = new Set<number>()
  for (const { kind, line } of containers) {
    if (kind !== 'list' && kind !== 'item') lines.delete(line)
    else lines.add(kinds[line] === LineKind.blank ? line + 1 : line)
  }
  return lines
}

const TASK = /\[[ \txX]\](?=[ \t]+[^ \t])/y

function textStart({ text, contentStarts, ends }: BlockTable, line: number, mayBeTask: boolean): number {
  const start = skipSpaces(text, contentStarts[line]!, ends[line]!)
  TASK.lastIndex = start
  return mayBeTask && TASK.test(text) ? TASK.lastIndex : start
}

/** The cells of a table row, without white space around them. */
function* readCells({ text, contentStarts, ends }: BlockTable, line: number): Generator<LinePart> {
  const end = trimEnd(text, contentStarts[line]!, ends[line]!)
  let start = skipSpaces(text, contentStarts[line]!, end)
  if (text[start] === '|') start++
  for (let offset = start; offset <= end; offset++) {
    if (offset === end ? start === end : text[offset] !== '|') {
      if (text[offset] === '\\' && '|\\'.includes(text[offset + 1] ?? ' ')) offset++
      continue
    }
    const from = skipSpaces(text, start, offset)
    yield { start: from, end: trimEnd(text, from, offset) }
    start = offset + 1
  }
}

/** A link reference definition. Without a title both offsets of it are equal. */
export interface Definition {
  readonly line: number
  /** Number of its lines. */
  readonly lines: number
  readonly from: number
  readonly to: number
  readonly titleFrom: number
  readonly titleTo: number
  /** Whether the text has another definition of its label. */
  readonly isRepeated: boolean
}

/** The definitions of a text by normalized label. The first of a label counts. */
export function listDefinitions(table: BlockTable): Map<string, Definition> {
  const definitions = new Map<string, Definition>()
  for (let line = 0; line < table.count;) {
    let last = line
    while (table.kinds[last] === LineKind.definition) last++
    if (last > line) addDefinitions(definitions, table, line, last)
    line = Math.max(last, line + 1)
  }
  return definitions
}

function addDefinitions(
  definitions: Map<string, Definition>,
  { text, contentStarts, ends }: BlockTable,
  first: number,
  last: number,
): void {
  const content = joinLines({ text, starts: contentStarts, ends }, first, last)
  let line = first
  let lineStart = 0
  const move = (offset: number): number => {
    while (offset > lineStart + ends[line]! - contentStarts[line]!) {
      lineStart += ends[line]! - contentStarts[line]! + 1
      line++
    }
    return contentStarts[line]! + offset - lineStart
  }
  for (const { start, close, from, to, titleFrom, titleTo, end } of eachDefinition(content)) {
    const label = normalizeLabel(content.slice(start + 1, close))
    move(start)
    const head = line
    const address = { from: move(from), to: move(to) }
    const definition = { line: head, ...address, titleFrom: move(titleFrom), titleTo: move(titleTo) }
    move(end)
    const known = definitions.get(label)
    const added = { ...definition, lines: line - head + 1, isRepeated: known !== undefined }
    definitions.set(label, known === undefined ? added : { ...known, isRepeated: true })
  }
}

/** The labels that a text defines, as {@link readInlines} needs them. */
export function listLabels(
  table: BlockTable,
  definitions: ReadonlyMap<string, unknown> = listDefinitions(table),
): Set<string> {
  const labels = new Set(definitions.keys())
  const parts = new LinkParts(table.text)
  for (const { kind, marker } of table.containers) {
    if (kind !== 'footnote') continue
    labels.add(footnoteLabel(normalizeLabel(table.text.slice(marker + 2, parts.labelClose(marker)))))
  }
  return labels
}
