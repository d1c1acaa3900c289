import type { LinkParts } from './link-parts.ts'

const AUTOLINK = /<[a-z][a-z\d+.-]{1,31}:[^\x01-\x20<>\x7f]*>/iy
const EMAIL = /<[\w.#$%&'*+/=?^`{|}~-]+@([a-z\d.-]+)>/iy
const DOMAIN_LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i
const TAG_NAME = /<[a-z][a-z\d-]*(?=[ \t\n/>])/iy
const CLOSING_TAG = /<\/[a-z][a-z\d-]*[ \t\n]*>/iy
const ATTRIBUTE = /[ \t\n]*[a-z_:][\w.:-]*/iy
const EQUALS = /[ \t\n]*=[ \t\n]*/y
const UNQUOTED = /[^ \t\n"'<=>`][^ \t\n"'<=>`/]*(?=[ \t\n/>])/y
const TAG_END = /[ \t\n]*\/?>/y

/** Openers of HTML other than tags, with the closer and the first offset where it may be. */
const PAIRS = [
  ['<!--', '-->', 2],
  ['<![CDATA[', ']]>', 9],
  ['<?', '?>', 2],
] as const

/** End of the autolink at a `<`; -1 if it is none. */
export function autolinkEnd(text: string, start: number): number {
  const end = matchEnd(AUTOLINK, text, start)
  if (end >= 0) return end
  EMAIL.lastIndex = start
  const email = EMAIL.exec(text)
  return email?.[1]!.split('.').every((label) => DOMAIN_LABEL.test(label)) ? EMAIL.lastIndex : -1
}

/**
 * End of the raw HTML at a `<` (CommonMark 0.31, 6.6); -1 if it is none.
 *
 *     open-tag  = "<" name (white-space+ attribute (white-space* "=" white-space* value)?)*
 * white-space* "/"? ">"
 *     value     = "'" [^']* "'" | '"' [^"]* '"' | [^ \t\n"'<=>`]+
 */
export function htmlEnd(parts: LinkParts, start: number): number {
  const { text } = parts
  for (const [opener, closer, offset] of PAIRS) {
    if (text.startsWith(opener, start)) return endAfter(closer, parts.find(closer, start + offset))
  }
  if (/[a-z]/i.test(text[start + 2] ?? '')) {
    if (text[start + 1] === '!') return endAfter('>', parts.find('>', start + 3))
    if (text[start + 1] === '/') return matchEnd(CLOSING_TAG, text, start)
  }
  let offset = matchEnd(TAG_NAME, text, start)
  if (offset < 0) return -1
  for (let name = matchEnd(ATTRIBUTE, text, offset); name >= 0; name = matchEnd(ATTRIBUTE, text, offset)) {
    const value = matchEnd(EQUALS, text, name)
    offset = value < 0 ? name : valueEnd(text, value)
    if (offset < 0) return -1
  }
  return matchEnd(TAG_END, text, offset)
}

/** Each open tag reads to the quote after the next one, so no text more than three times. */
function valueEnd(text: string, start: number): number {
  const quote = text[start]
  if (quote !== '"' && quote !== "'") return matchEnd(UNQUOTED, text, start)
  const end = text.indexOf(quote, start + 1) + 1
  return end > 0 && /[ \t\n/>]/.test(text[end] ?? '') ? end : -1
}

function endAfter(closer: string, found: number): number {
  return found < 0 ? -1 : found + closer.length
}

/** End of the match of a sticky pattern at an offset; -1 if there is none. */
export function matchEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : -1
}

/**
 * Finds the ends of code spans in the text up to an offset, in linear time if offsets ascend.
 *
 *     code-span = "`"{n} text "`"{n}      (no other run of n backticks in between)
 */
export class CodeSpans {
  private readonly text: string
  private readonly end: number
  /** Ends of the runs of backticks, by length. */
  private runs: Map<number, { ends: number[]; next: number }> | undefined

  constructor(text: string, end: number = text.length) {
    this.text = text
    this.end = end
  }

  /** End of the code span that the run at an offset opens; -1 if it opens none. */
  findEnd(at: number): number {
    const length = countBackticks(this.text, at)
    const run = (this.runs ??= this.findRuns(at)).get(length)
    while (run !== undefined && run.ends[run.next]! < at + 2 * length) run.next++
    return run?.ends[run.next] ?? -1
  }

  private findRuns(from: number): Map<number, { ends: number[]; next: number }> {
    const runs = new Map<number, { ends: number[]; next: number }>()
    for (let at = from; at >= 0 && at < this.end; at = this.text.indexOf('`', at)) {
      const length = countBackticks(this.text, at)
      at += length
      const same = runs.get(length)
      if (same === undefined) runs.set(length, { ends: [at], next: 0 })
      else same.ends.push(at)
    }
    return runs
  }
}

/** Length of the run of backticks at an offset. */
export function countBackticks(text: string, start: number): number {
  let end = start
  while (text.charCodeAt(end) === 96) end++
  return end - start
}
