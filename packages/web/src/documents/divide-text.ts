import { findCutOffset, findHeadings, LineKind, LineMark, scanLines } from '@packs/codec/internal'
import type { OutlinedSection } from '@packs/codec/sections'

/** UTF-16 units of a text that is one part, and of the parts of a longer one. */
const MAX_TEXT = 100_000
const MAX_PART = 60_000
/** Headings that a page lists. */
export const MAX_CONTENTS = 600
const MAX_DEFINITIONS = 500

export interface TextCut {
  readonly start: number
  readonly end: number
  /** Line that opens the code block in which the part begins, or nothing. */
  readonly fence: string
}

/** Divides a long text at its headings, or else between its blocks, lines or words, in linear time. */
export function divideText(text: string): readonly TextCut[] {
  if (text.length <= MAX_TEXT) return [{ start: 0, end: text.length, fence: '' }]
  const table = scanLines(text)
  const { starts, ends, count, marks, kinds } = table
  const levels = new Map(Array.from(findHeadings(table), ({ line, level }) => [line, level]))
  const cuts: TextCut[] = []
  let at = 0
  let fence = ''
  let line = 0
  while (text.length - at > MAX_PART) {
    let [best, rank] = [-1, Infinity]
    for (; line < count && starts[line]! <= at + MAX_PART; line++) {
      const own = levels.get(line) ?? (marks[line]! & LineMark.startsBlock ? 7 : 8)
      if (starts[line]! > at + MAX_PART / 2 && own <= rank) [best, rank] = [line, own]
    }
    const space = text.lastIndexOf(' ', at + MAX_PART)
    const word = findCutOffset(text, space > at + MAX_PART / 2 ? space + 1 : at + MAX_PART)
    const end = best < 0 ? word : starts[best]!
    cuts.push({ start: at, end, fence })
    fence = ''
    if (best >= 0 && (kinds[best] === LineKind.fencedCode || kinds[best] === LineKind.fenceClose)) {
      let open = best
      while (open > 0 && kinds[open] !== LineKind.fenceOpen) open--
      fence = text.slice(starts[open], Math.min(ends[open]!, starts[open]! + 200))
    }
    at = end
    if (best >= 0) line = best
  }
  return [...cuts, { start: at, end: text.length, fence }]
}

/** A line that defines a link or a footnote, and what may refer to one. */
const DEFINITION = /^ {0,3}\[([^\]\n]{1,200})\]:[ \t]*\S[^\n]{0,500}$/gm
const LABEL = /\[([^\][\n]{1,200})\](?:\[\])?/g
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/**
 * Writes a part as a text of its own: with its code block open, and after it the definitions that it
 * uses from other parts. What is defined beyond a preview leads nowhere, so that only its text is shown.
 */
export function writePart(
  text: string,
  cuts: readonly TextCut[],
  index: number,
  isWhole: boolean,
): { readonly text: string; readonly before: number } {
  const { start, end, fence } = cuts[index]!
  const own = text.slice(start, end)
  if (cuts.length === 1 && isWhole) return { text: own, before: 0 }
  const first = FENCE.test(fence) ? `${fence}\n` : ''
  const mark = FENCE.exec(cuts[index + 1]?.fence ?? '')?.[1]
  const last = mark === undefined ? '' : `${mark}\n`
  const references = [...own.matchAll(LABEL)]
  const labels = new Set(references.map(([, label]) => label!))
  const used =
    cuts.length === 1
      ? []
      : Array.from(text.matchAll(DEFINITION)).filter(
          ({ 1: label, index: at }) => labels.has(label!) && (at < start || at >= end),
        )
  const unknown = references.filter(({ 0: all, index: at }) => all.endsWith('[]') || own[at - 1] === ']')
  const missing = isWhole ? [] : new Set(unknown.map(([, label]) => `[${label}]: #`))
  const rest = [...used.slice(0, MAX_DEFINITIONS).map(([line]) => line), ...missing].join('\n')
  const fences = (first + own + last).match(new RegExp(FENCE, 'gm')) ?? []
  return {
    text: `${first}${own}${last}${rest === '' || fences.length % 2 > 0 ? '' : `\n\n${rest}\n`}`,
    before: first.length,
  }
}

export interface ListedHeading extends Pick<OutlinedSection, 'id' | 'title' | 'level'> {
  readonly place: 'here' | 'elsewhere' | 'locked'
}

/** Lists the headings of a part, of all parts down to the level that fits, and else the first of each part. */
export function listContents(
  sections: readonly OutlinedSection[],
  cuts: readonly TextCut[],
  index: number,
  length: number,
): readonly ListedHeading[] {
  const headings = sections.filter(({ level }) => level > 0)
  const { start: from, end: to } = cuts[index]!
  const isHere = ({ start }: OutlinedSection): boolean => start >= from && start < to
  const listed = new Set(headings.filter(isHere).slice(0, MAX_CONTENTS))
  for (let level = 1; level <= 6; level++) {
    const more = headings.filter((heading) => heading.level === level && !listed.has(heading))
    if (listed.size + more.length > MAX_CONTENTS) {
      let part = -1
      for (const heading of headings) {
        if (heading.start >= length || heading.start < (cuts[part + 1]?.start ?? length)) continue
        while (heading.start >= (cuts[part + 1]?.start ?? length)) part++
        if (listed.size < MAX_CONTENTS) listed.add(heading)
      }
      break
    }
    for (const heading of more) listed.add(heading)
  }
  return headings
    .filter((heading) => listed.has(heading))
    .map((heading) => {
      const { id, title, level, start } = heading
      return { id, title, level, place: isHere(heading) ? 'here' : start < length ? 'elsewhere' : 'locked' }
    })
}
