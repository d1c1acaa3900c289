import { findAbove } from '../binary-search.ts'
import { inlineBlocks } from '../markdown/inlines/inline-blocks.ts'
import { isCodeKind, LineKind, LineMark, type LineTable } from '../markdown/line-table.ts'
import { scanLines } from '../markdown/scan-lines.ts'
import { trimEnd } from '../markdown/table-row.ts'
import { findAtoms, findTextCuts } from './find-text-cuts.ts'

/** Ascending offsets at which a body may be cut, each before the white space after a part. */
export interface Cuts {
  readonly block: number[]
  /** List items, table rows, and lines of a fence that the body opens with. */
  readonly item: number[]
  readonly sentence: number[]
  readonly word: number[]
  /** Where the first paragraph begins; Infinity if there is none. */
  readonly firstText: number
  /** Whether the last line before a cut is a heading or ends in a colon. */
  readonly announces: (at: number) => boolean
}

/** UTF-16 units to read after the last cut, so that a link across it is found. */
const MARGIN = 4_096

/**
 * Finds the offsets up to `last` at which `body` may be cut, in linear time: by the structure of
 * its lines, and in running text, outside links, code and other atoms, by sentences and words.
 * @param dividesFence whether a fence that the body opens with may be cut at its lines
 */
export function findCuts(body: string, last: number, dividesFence = true): Cuts {
  const isWhole = last + MARGIN >= body.length
  const table = scanLines(isWhole ? body : body.slice(0, last + MARGIN))
  const { count, kinds, marks } = table
  const announces = createAnnouncementTest(table)
  const cuts = { block: [], item: [], sentence: [], word: [], firstText: Infinity, announces } as {
    -readonly [Name in keyof Cuts]: Cuts[Name]
  }
  const openingFence = dividesFence ? findOpeningFence(table) : -1
  let previous = -1
  for (let line = 0; line < count; line++) {
    const kind = kinds[line]!
    const mark = marks[line]!
    if (previous >= 0) {
      if (mark & LineMark.startsBlock || isNextDefinition(table, previous, line))
        addLineEnd(cuts.block, table, previous)
      else if (mark & LineMark.endsItem || kinds[previous] === LineKind.tableRow)
        addLineEnd(cuts.item, table, previous)
    }
    if (kind !== LineKind.blank) previous = line
    const isShown = kind === LineKind.fencedCode && line <= openingFence
    if (isShown && trimLine(table, line) > table.starts[line]!) addLineEnd(cuts.item, table, line)
  }
  if (isWhole && previous >= 0) addLineEnd(cuts.block, table, previous)
  for (const block of inlineBlocks(table)) {
    const kind = kinds[block.line]!
    if (kind !== LineKind.paragraph && kind !== LineKind.atxHeading) continue
    const start = table.bodyStarts[block.line]!
    if (kind === LineKind.paragraph) cuts.firstText = Math.min(cuts.firstText, start)
    const isOpen = !isWhole && block.last === count - 1
    const end = isOpen ? table.ends[block.last]! : trimLine(table, block.last)
    const text = findTextCuts(table.text, start, end, findAtoms(table.text, block))
    for (const at of text.sentences) cuts.sentence.push(at)
    for (const at of text.words) cuts.word.push(at)
    if (!isOpen) for (const list of [cuts.sentence, cuts.word]) list.push(end)
  }
  return cuts
}

function createAnnouncementTest(table: LineTable): (at: number) => boolean {
  const { text, count, kinds, starts, bodyStarts } = table
  const isAnnouncement = (line: number, at: number): boolean => {
    const kind = kinds[line]!
    if (HEADINGS.has(kind) || isCodeKind(kind)) return HEADINGS.has(kind)
    const end = text.slice(Math.max(starts[line]!, at - 16), at)
    return (
      ANNOUNCES.test(end) || OPENS.test(text.slice(bodyStarts[line], Math.min(bodyStarts[line]! + 8, at)))
    )
  }
  const ends = new Uint32Array(count)
  const announced = new Uint8Array(count)
  for (let line = 0; line < count; line++) {
    ends[line] = trimLine(table, line)
    // What shows nothing of its own announces what the line before it does.
    const before = announced[line - 1] ?? 0
    announced[line] = SILENT.has(kinds[line]!) ? before : isAnnouncement(line, ends[line]!) ? 1 : 0
  }
  return (at) => {
    const line = Math.max(0, findAbove(starts, at - 1) - 1)
    return at >= ends[line]! ? announced[line] === 1 : isAnnouncement(line, at)
  }
}

const SILENT: ReadonlySet<number> = new Set([LineKind.blank, LineKind.thematicBreak, LineKind.definition])
const HEADINGS: ReadonlySet<number> = new Set([
  LineKind.atxHeading,
  LineKind.headingText,
  LineKind.setextUnderline,
])
/** The end of a colon or of a heading in HTML; `:::` alone closes a container. */
const ANNOUNCES = /(?:^|[^:])[:：][*_`"'”’»)\]]*$|<\/h[1-6]\s*>\s*$/i
/** The first line of a container or an admonition. */
const OPENS = /^(?::::+[^\S\n]*[^\s:]|[!?]{3}\+?[^\S\n]|\[!)/

/** Whether both lines begin definitions, each of which is a block of its own. */
function isNextDefinition({ text, kinds, starts }: LineTable, previous: number, line: number): boolean {
  const isBoth = kinds[previous] === LineKind.definition && kinds[line] === LineKind.definition
  return isBoth && text[starts[line]!] === '['
}

/** Last line of code in the fence that the text opens with; -1 if it opens with something else. */
function findOpeningFence({ count, kinds }: LineTable): number {
  let line = 0
  while (line < count && kinds[line] === LineKind.blank) line++
  if (kinds[line] !== LineKind.fenceOpen) return -1
  while (line + 1 < count && kinds[line + 1] === LineKind.fencedCode) line++
  return line
}

function addLineEnd(offsets: number[], table: LineTable, line: number): void {
  const end = trimLine(table, line)
  if (end > (offsets.at(-1) ?? 0)) offsets.push(end)
}

function trimLine({ text, starts, ends }: LineTable, line: number): number {
  return trimEnd(text, starts[line]!, ends[line]!)
}
