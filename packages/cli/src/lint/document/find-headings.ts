import { LineKind, LineMark, type LineTable } from '@packs/codec/markdown'

/** A heading of a document. */
export interface Heading {
  readonly level: number
  /** Its text as written, without markers, custom anchor and white space at its ends. */
  readonly text: string
  /** Anchor that the author gave, as in `## Title {#anchor}`; empty if there is none. */
  readonly anchor: string
  /** Offset of the text. */
  readonly offset: number
  /** First line, from 0. */
  readonly line: number
  /** First line after the heading. */
  readonly nextLine: number
}

const ANCHOR = /(?:\{#([^{}]*)\}|\{\/\*[ \t]*#([^{}*]*)\*\/\}|\{:[ \t]*#([^{}]*)\})[ \t]*$/
/** A longer heading is read up to here. */
const LONGEST = 1000

/** Finds the headings outside of quotes and lists, in order. */
export function findHeadings(lines: LineTable, skipped: Uint8Array): Heading[] {
  const { text, count, bodyStarts, bodyEnds, kinds, marks } = lines
  const headings: Heading[] = []
  let first = -1
  const add = (level: number, from: number, to: number, nextLine: number): void => {
    if (skipped[from] === 1 || marks[from]! & LineMark.inContainer) return
    const offset = bodyStarts[from]!
    const written = text.slice(offset, Math.min(bodyEnds[to]!, offset + LONGEST))
    const found = ANCHOR.exec(written)
    headings.push({
      level,
      text: (found === null ? written : written.slice(0, found.index)).trim(),
      anchor: (found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim(),
      offset,
      line: from,
      nextLine,
    })
  }
  for (let line = 0; line < count; line++) {
    const kind = kinds[line]
    if (kind === LineKind.atxHeading) add(readLevel(text, lines, line), line, line, line + 1)
    else if (kind === LineKind.headingText) first = first < 0 ? line : first
    else if (kind === LineKind.setextUnderline && first >= 0) {
      add(isDoubleLine(text, lines, line) ? 1 : 2, first, line - 1, line + 1)
      first = -1
    }
  }
  return headings
}

function readLevel(text: string, { starts, bodyStarts }: LineTable, line: number): number {
  const marks = /#+/.exec(text.slice(starts[line], bodyStarts[line]))
  return marks === null ? 1 : marks[0].length
}

function isDoubleLine(text: string, { starts, ends }: LineTable, line: number): boolean {
  return text.slice(starts[line], ends[line]).includes('=')
}
