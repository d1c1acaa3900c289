import { findCutOffset, findHeadings, LineKind, LineMark, scanLines } from '@packs/codec/internal'
import type { OutlinedSection } from '@packs/codec/sections'

/** UTF-16 units of a text that is one part, and of the parts of a longer one. */
const MAX_TEXT = 100_000
const MAX_PART = 60_000
/** Headings that a page lists, and definitions of other parts that it uses. */
const MAX_CONTENTS = 600
const MAX_DEFINITIONS = 500

export interface TextCut {
  readonly start: number
  readonly end: number
  /** What opens and closes a code block that the part has only a piece of. */
  readonly before: string
  readonly after: string
}

/** Divides a long text at headings, or else between blocks, lines or words, in linear time. */
export function divideText(text: string): readonly TextCut[] {
  if (text.length <= MAX_TEXT) return [{ start: 0, end: text.length, before: '', after: '' }]
  const table = scanLines(text)
  const { starts, ends, count, marks, kinds } = table
  const levels = new Map(Array.from(findHeadings(table), ({ line, level }) => [line, level]))
  const cuts: TextCut[] = []
  let [start, line, before] = [0, 0, '']
  while (text.length - start > MAX_PART) {
    const [least, most] = [start + MAX_PART / 2, start + MAX_PART]
    let [best, rank] = [-1, Infinity]
    for (; line < count && starts[line]! <= most; line++) {
      const own = levels.get(line) ?? (marks[line]! & LineMark.startsBlock ? 7 : 8)
      if (starts[line]! > least && own <= rank) [best, rank] = [line, own]
    }
    if (best >= 0) line = best
    const space = text.lastIndexOf(' ', most)
    const end = starts[best] ?? findCutOffset(text, space > least ? space + 1 : most)
    let open = best
    if (kinds[best] === LineKind.fencedCode) while (open > 0 && kinds[open] !== LineKind.fenceOpen) open--
    const [fence = '', mark] = FENCE.exec(open < best ? text.slice(starts[open], ends[open]) : '') ?? []
    cuts.push({ start, end, before, after: fence && `${mark}\n` })
    ;[start, before] = [end, fence && `${fence}\n`]
  }
  return [...cuts, { start, end: text.length, before, after: '' }]
}

const FENCES = /^ {0,3}(?:`{3,}|~{3,})/gm
const FENCE = /^ {0,3}(`{3,}|~{3,}).{0,200}/
/** A line that defines a link or a footnote, and what may refer to one. */
const DEFINITION = /^ {0,3}\[([^\]]{1,200})\]:[ \t]*\S/
const MAX_DEFINITION = 700
const LABEL = /\[([^\][\n]{1,200})\](?:\[\])?/g

/**
 * Writes a part as a text of its own, with the definitions that it uses from other parts. What is
 * defined beyond a preview leads nowhere, so that only its text is shown.
 */
export function writePart(text: string, cuts: readonly TextCut[], index: number, isWhole: boolean): string {
  const { start, end, before, after } = cuts[index]!
  const own = text.slice(start, end)
  const part = `${before}${own}${after}`
  const all = cuts.length > 1 ? text.split('\n') : []
  const defined = new Map(all.map((line) => [DEFINITION.exec(line)?.[1] ?? '', line]))
  const lines = Array.from(own.matchAll(LABEL), ({ 0: whole, 1: label = '', index: at }) => {
    const isReference = whole.endsWith('[]') || own[at - 1] === ']'
    return defined.get(label) ?? (isReference && !isWhole ? `[${label}]: #` : '')
  })
  const used = [...new Set(lines)]
    .filter((line) => line !== '' && line.length <= MAX_DEFINITION)
    .slice(0, MAX_DEFINITIONS)
  const isOpen = (part.match(FENCES)?.length ?? 0) % 2 > 0
  return used.length === 0 || isOpen ? part : `${part}\n\n${used.join('\n')}\n`
}

export interface ListedHeading extends Pick<OutlinedSection, 'id' | 'title' | 'level'> {
  readonly place: 'here' | 'elsewhere' | 'locked'
}

/** Lists the headings of a part, and of the other parts as many as fit, high levels first. */
export function listContents(
  sections: readonly OutlinedSection[],
  { start: from, end: to }: TextCut,
  length: number,
): readonly ListedHeading[] {
  const rank = ({ start, level }: OutlinedSection): number => (start >= from && start < to ? 0 : level)
  const headings = sections.filter(({ level }) => level > 0)
  const listed = new Set(headings.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_CONTENTS))
  return headings
    .filter((heading) => listed.has(heading))
    .map((heading) => {
      const { id, title, level, start } = heading
      const place = rank(heading) === 0 ? 'here' : start < length ? 'elsewhere' : 'locked'
      return { id, title, level, place }
    })
}
