import { LineKind } from '../../markdown/line-table.ts'
import type { Inline } from '../../markdown/read-inlines.ts'
import { trimEnd } from '../../markdown/table-row.ts'
import type { Draft } from '../draft.ts'
import type { Edit } from '../edited-text.ts'

const LEAST_WIDTH = 60
const MOST_WIDTH = 120
/** Lines and paragraphs that show a width, and how far from it a line may end. */
const LEAST_LINES = 20
const LEAST_PARAGRAPHS = 6
const RAGGED = 12

interface Paragraph {
  readonly first: number
  readonly last: number
}

/** Proposes to join the lines of paragraphs that were filled to the width of the file. */
export function proposeWraps(draft: Draft): void {
  if (!draft.has('wraps') || draft.dialects.has('vault')) return
  const paragraphs = findParagraphs(draft)
  const rest = joinFilled(
    draft,
    paragraphs,
    measureLines(draft, paragraphs, (offset) => offset),
  )
  // Again with the lengths that other edits leave, so that nothing remains for a second run.
  joinFilled(
    draft,
    rest,
    measureLines(draft, rest, (offset) => draft.base.toText(offset)),
  )
}

/** The lengths of the lines of paragraphs without blanks at their ends. */
function measureLines(
  { table: { text, starts, ends, count } }: Draft,
  paragraphs: readonly Paragraph[],
  place: (offset: number) => number,
): Int32Array {
  const lengths = new Int32Array(count)
  for (const { first, last } of paragraphs) {
    for (let line = first; line <= last; line++) {
      const start = place(starts[line]!)
      // 0 for a line whose start is gone.
      lengths[line] = start < 0 ? 0 : place(trimEnd(text, starts[line]!, ends[line]!)) - start
    }
  }
  return lengths
}

/** Joins filled paragraphs, with the width that the remaining ones show, and returns those. */
function joinFilled(draft: Draft, all: readonly Paragraph[], lengths: Int32Array): readonly Paragraph[] {
  let paragraphs = all
  for (;;) {
    const width = findWidth(paragraphs, lengths)
    if (width === undefined) return paragraphs
    const rest = paragraphs.filter(
      (paragraph) => !(isFilled(draft, paragraph, width, lengths) && joinLines(draft, paragraph)),
    )
    if (rest.length === paragraphs.length) return rest
    paragraphs = rest
  }
}

/** Paragraphs of at least two lines, without tags that go over a line end. */
function findParagraphs(draft: Draft): Paragraph[] {
  return draft.blocks
    .filter(({ line, last, inlines }) => {
      const isParagraph = last > line && draft.table.kinds[line] === LineKind.paragraph
      const isWhole = ({ kind, start, end }: Inline): boolean =>
        kind !== 'html' || !/[\n\r]/.test(draft.text.slice(start, end))
      return isParagraph && inlines.every(isWhole)
    })
    .map(({ line, last }) => ({ first: line, last }))
}

/** The longest line that is not the last of its paragraph, if enough lines end near it. */
function findWidth(paragraphs: readonly Paragraph[], lengths: Int32Array): number | undefined {
  let width = 0
  for (const { first, last } of paragraphs)
    for (let line = first; line < last; line++) width = Math.max(width, lengths[line]!)
  if (width < LEAST_WIDTH || width > MOST_WIDTH) return undefined
  let lines = 0
  let filled = 0
  for (const { first, last } of paragraphs) {
    const before = lines
    for (let line = first; line < last; line++) if (lengths[line]! >= width - RAGGED) lines++
    if (last - first >= 2 && lines > before) filled++
  }
  return lines >= LEAST_LINES && filled >= LEAST_PARAGRAPHS ? width : undefined
}

const FIRST_WORD = /^\S+/
/** How a line begins that may follow another: a letter, after quotes, a bracket, or marks of emphasis, code or links. */
const BEGINS = /^(?:["'“‘«(]|\*{1,3}|_{1,3}|`+|!?\[)*\p{L}/u
const ENDS = /(?:[:|\\>]|[ \t]{2}|\t)$/
/** Scripts without spaces between words, in which a space would be seen. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]/u

function isFilled(draft: Draft, { first, last }: Paragraph, width: number, lengths: Int32Array): boolean {
  const { text, table } = draft
  for (let line = first + 1; line <= last; line++) {
    const words = text.slice(draft.textStart(line), table.ends[line])
    const before = text.slice(table.starts[line - 1], table.ends[line - 1])
    const word = FIRST_WORD.exec(words)?.[0] ?? ''
    if (lengths[line - 1]! + 1 + word.length <= width) return false
    if (!BEGINS.test(words) || ENDS.test(before)) return false
    if (UNSPACED.test(word.charAt(0)) || UNSPACED.test(before.trimEnd().slice(-1))) return false
    if (/\$\$|\{|^\s*\\begin/.test(before)) return false
  }
  return true
}

function joinLines(draft: Draft, { first, last }: Paragraph): boolean {
  const { text, starts, ends } = draft.table
  const edits: Edit[] = []
  for (let line = first + 1; line <= last; line++) {
    const at = trimEnd(text, starts[line - 1]!, ends[line - 1]!)
    edits.push({ at, end: draft.textStart(line), insert: ' ' })
  }
  return draft.propose('wraps', edits)
}
