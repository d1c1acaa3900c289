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
/** Most lines that are longer, such as with an address, and least that end near it. */
const LONGER = 0.05
const NEAR = 0.6

interface Paragraph {
  readonly first: number
  readonly last: number
  readonly rows: readonly Row[]
}

/** A line of a paragraph without blanks at its end. */
interface Row {
  readonly line: number
  readonly start: number
  readonly end: number
}

/** Proposes to join the lines of paragraphs that were filled to the width of the file. */
export function proposeWraps(draft: Draft): void {
  if (!draft.has('wraps') || draft.dialects.has('vault')) return
  const { text, starts, ends } = draft.table
  const paragraphs = findParagraphs(draft)
  const measure = (place: (offset: number) => number, { first, last }: Paragraph): Paragraph => {
    const rows: Row[] = []
    for (let line = first; line <= last; line++) {
      const start = place(starts[line]!)
      const end = place(trimEnd(text, starts[line]!, ends[line]!))
      // Other edits join a line whose start is gone with the one before it.
      if (start < 0 && rows.length > 0) rows.push({ ...rows.pop()!, end })
      else rows.push({ line, start, end })
    }
    return { first, last, rows }
  }
  const rest = joinFilled(
    draft,
    paragraphs.map((paragraph) => measure((offset) => offset, paragraph)),
  )
  // Again with the lengths that other edits leave, so that nothing remains for a second run.
  joinFilled(
    draft,
    rest.map((paragraph) => measure((offset) => draft.base.toText(offset), paragraph)),
  )
}

/** Joins filled paragraphs, with the width that the remaining ones show, and returns those. */
function joinFilled(draft: Draft, all: readonly Paragraph[]): readonly Paragraph[] {
  let paragraphs = all
  for (;;) {
    const width = findWidth(paragraphs)
    if (width === undefined) return paragraphs
    const rest = paragraphs.filter(
      (paragraph) => !(isFilled(draft, paragraph, width) && joinLines(draft, paragraph)),
    )
    if (rest.length === paragraphs.length) return rest
    paragraphs = rest
  }
}

/** Paragraphs of at least two lines, without tags that go over a line end. */
function findParagraphs(draft: Draft): Paragraph[] {
  return draft.blocks
    .filter(({ line, last, inlines }) => {
      const isWhole = ({ kind, start, end }: Inline): boolean =>
        kind !== 'html' || !/[\n\r]/.test(draft.text.slice(start, end))
      return last > line && draft.table.kinds[line] === LineKind.paragraph && inlines.every(isWhole)
    })
    .map(({ line, last }) => ({ first: line, last, rows: [] }))
}

/** The width of all lines but a few and the last of each paragraph, if most end near it. */
function findWidth(paragraphs: readonly Paragraph[]): number | undefined {
  const all = paragraphs.map(({ rows }) => rows.slice(0, -1).map(({ start, end }) => end - start))
  const sizes = all.flat().toSorted((a, b) => b - a)
  const width = sizes[Math.floor(sizes.length * LONGER)] ?? 0
  if (width < LEAST_WIDTH || width > MOST_WIDTH) return undefined
  const isNear = (size: number): boolean => size >= width - RAGGED
  const lines = sizes.filter(isNear).length
  const filled = all.filter((each) => each.length >= 2 && each.some(isNear)).length
  return lines >= LEAST_LINES && lines >= sizes.length * NEAR && filled >= LEAST_PARAGRAPHS
    ? width
    : undefined
}

const FIRST_WORD = /^\S+/
/** How a line begins that may follow another: a letter, after quotes or inline marks. */
const BEGINS = /^[["'“‘«(*_`!]{0,8}\p{L}/u
const ENDS = /(?:[:|\\>]|[ \t]{2}|\t)$/
/** A title, a callout, an image or bold text, which authors see on a line of its own. */
const STANDS = /^(?:\[!|!\[|!!!|\?{3}|={3}|:{3}|\/{3}|@\w)|^(\*\*|__)(?:(?!\1).)+\1\s*$/
/** A name and a colon; a small letter and several words are a sentence. */
const FIELD = /^(?!\p{Ll}[\p{L}\p{N}_-]* )[*_]{0,3}\p{L}[\p{L}\p{N}_ -]{0,30}(?::[*_]{0,3}|[*_]{1,3}:)\s/u
/** Scripts without spaces between words, in which a space would be seen. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]/u

function isFilled(draft: Draft, { rows }: Paragraph, width: number): boolean {
  const { text, table } = draft
  return rows.every(({ line }, index) => {
    const above = rows[index - 1]
    const words = text.slice(draft.textStart(line), table.ends[line])
    if (STANDS.test(words)) return false
    if (above === undefined) return rows.length > 1
    const before = text.slice(table.starts[line - 1], table.ends[line - 1])
    const word = FIRST_WORD.exec(words)?.[0] ?? ''
    if (above.end - above.start + 1 + word.length <= width) return false
    if (!BEGINS.test(words) || FIELD.test(words) || ENDS.test(before)) return false
    if (UNSPACED.test(word.charAt(0)) || UNSPACED.test(before.trimEnd().slice(-1))) return false
    return !/\$\$|\{|^\s*\\begin/.test(before)
  })
}

function joinLines(draft: Draft, { first, last }: Paragraph): boolean {
  const { text, starts, ends } = draft.table
  const edits: Edit[] = []
  for (let line = first + 1; line <= last; line++) {
    if (draft.base.toText(starts[line]!) < 0) continue
    const at = trimEnd(text, starts[line - 1]!, ends[line - 1]!)
    edits.push({ at, end: draft.textStart(line), insert: ' ' })
  }
  return draft.propose('wraps', edits)
}
