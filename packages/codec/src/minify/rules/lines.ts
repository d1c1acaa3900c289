import { bomLength, LineKind, LineMark } from '../../markdown/line-table.ts'
import { trimEnd } from '../../markdown/table-row.ts'
import { isSpace, type Draft } from '../draft.ts'
import type { Edit } from '../edited-text.ts'

/** Proposes single blank lines, no trailing blanks, short rules and headings. */
export function proposeBlank(draft: Draft): void {
  if (!draft.has('blank')) return
  const { text, table } = draft
  const { ends, kinds, count, depths } = table
  proposeBlankLines(draft)
  for (let line = 0; line < count; line++) {
    const kind = kinds[line]!
    if (kind === LineKind.thematicBreak) {
      const rule = text.slice(draft.textStart(line), ends[line])
      const isSafe = line > 0 && draft.isBlank(line - 1) && depths[line] === 0 && !draft.isBlank(0)
      if (isSafe && rule.trimEnd().length > 3)
        draft.propose('blank', [{ at: draft.textStart(line), end: ends[line]!, insert: '---' }])
    } else if (kind === LineKind.atxHeading) proposeHeadingEnd(draft, line)
    else if (kind === LineKind.setextUnderline) proposeAtx(draft, line)
    else if (kind === LineKind.paragraph || kind === LineKind.tableRow) proposeLineEnd(draft, line)
  }
}

/** Keeps one of several blank lines between two lines that stay, and none at the beginning. */
function proposeBlankLines(draft: Draft): void {
  const { text, table } = draft
  const { starts, ends, kinds, marks, count } = table
  let isAfterBlank = true
  let edits: Edit[] = []
  for (let line = 0; line < count; line++) {
    if (draft.isGone(line)) continue
    if (!draft.isBlank(line)) {
      draft.propose('blank', edits)
      edits = []
      isAfterBlank = false
      continue
    }
    let last = line
    while (last + 1 < count && draft.isBlank(last + 1) && !draft.isGone(last + 1)) last++
    const isInCode = kinds[last + 1] === LineKind.indentedCode && !(marks[last + 1]! & LineMark.startsLeaf)
    const isEnd = last === count - 1
    const first = line + (isAfterBlank ? 0 : 1)
    if (!isInCode && first <= last && !(isEnd && first === last)) {
      const at = first === 0 ? Math.min(bomLength(text), ends[0]!) : starts[first]!
      edits.push({ at, end: isEnd ? ends[last]! : starts[last + 1]!, insert: '' })
    }
    isAfterBlank = true
    line = last
  }
  draft.propose('blank', edits)
}

function proposeHeadingEnd(draft: Draft, line: number): void {
  const { ends, bodyEnds, bodyStarts } = draft.table
  const at = bodyEnds[line]!
  if (at < ends[line]! && at > bodyStarts[line]! && draft.text.charCodeAt(at - 1) !== 35)
    draft.propose('blank', [{ at, end: ends[line]!, insert: '' }])
}

/** A heading of one line with an underline becomes one with marks. */
function proposeAtx(draft: Draft, line: number): void {
  const { text, table } = draft
  const { kinds, ends } = table
  if (kinds[line - 1] !== LineKind.headingText || kinds[line - 2] === LineKind.headingText) return
  const start = draft.textStart(line - 1)
  const words = text.slice(start, ends[line - 1])
  if (/#\s*$|^\s*$/.test(words)) return
  const level = text.charAt(draft.textStart(line)) === '=' ? '# ' : '## '
  const trimmed = ends[line - 1]! - (words.length - words.trimEnd().length)
  draft.propose('blank', [
    { at: start, end: start, insert: level },
    { at: trimmed, end: ends[line]!, insert: '' },
  ])
}

/** Blanks at the end of a line; two remain where they break the line. */
function proposeLineEnd(draft: Draft, line: number): void {
  const { text, table } = draft
  const { ends, kinds, marks } = table
  const end = ends[line]!
  const at = trimEnd(text, draft.textStart(line), end)
  const continues = kinds[line + 1] === LineKind.paragraph && !(marks[line + 1]! & LineMark.startsLeaf)
  const breaks = continues && text.slice(at, end).endsWith('  ')
  // Parsers disagree whether blanks behind a tab break a line.
  const isUnclear = breaks && text.slice(at, end).includes('\t')
  const insert = breaks ? '  ' : ''
  if (at + insert.length < end && text.charCodeAt(at - 1) !== 92 && !isUnclear)
    draft.propose('blank', [{ at, end, insert }])
}

/** Proposes tables without padding: one space around cells, one dash a column. */
export function proposeTables(draft: Draft): void {
  if (!draft.has('tables')) return
  const { text, table } = draft
  for (let line = 0; line < table.count; line++) {
    const kind = table.kinds[line]!
    const start = draft.textStart(line)
    const end = trimEnd(text, start, table.ends[line]!)
    if (kind === LineKind.tableDelimiter) {
      const insert = text
        .slice(start, end)
        .replace(/-+/g, '-')
        .replace(/[ \t]+/g, '')
      if (insert.length < end - start) draft.propose('tables', [{ at: start, end, insert }])
    } else if (kind === LineKind.tableHeader || kind === LineKind.tableRow) {
      draft.propose('tables', trimCells(draft, start, end))
    }
  }
}

/** The edits that leave one space between a bar and a cell. */
function trimCells({ text }: Draft, start: number, end: number): Edit[] {
  const edits: Edit[] = []
  for (let offset = start; offset < end; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 92) offset++
    else if (isSpace(code)) {
      const from = offset
      while (offset + 1 < end && isSpace(text.charCodeAt(offset + 1))) offset++
      const isBeside =
        text.charCodeAt(offset + 1) === 124 || (from > start && text.charCodeAt(from - 1) === 124)
      if (isBeside && offset > from) edits.push({ at: from, end: offset + 1, insert: ' ' })
    }
  }
  return edits
}
