import { createFenceTracker } from './fence-tracker.ts'

/** A `<!-- pack:… -->` comment of a markdown text. Offsets are UTF-16; `end` is that of its line, without the line end. */
export interface Directive {
  /** `inline`: one that shares its line with other text and so has no effect. */
  readonly kind: 'open' | 'close' | 'unknown' | 'inline'
  /** What stands after `pack:`; empty for `<!-- /pack -->`. */
  readonly name: string
  readonly start: number
  readonly end: number
}

const COMMENT = /<!--[ \t]*(?:pack:|\/pack\b)/
const ALONE = /^<!--[ \t]*(?:pack:([^\s>]*)|\/pack)[ \t]*-->$/
/** A longer comment is no directive; keeps the time linear. */
const MAX_COMMENT = 200

/** Finds the directives of a markdown text, in order, outside code fences. */
export function scanDirectives(text: string): Directive[] {
  const directives: Directive[] = []
  if (!COMMENT.test(text)) return directives
  const fences = createFenceTracker()
  for (let start = 0; start < text.length;) {
    const end = findLineEnd(text, start)
    const line = text.slice(start, end)
    if (!fences.take(line) && line.includes('<!--')) addDirective(directives, line, start)
    start = text.startsWith('\r\n', end) ? end + 2 : end + 1
  }
  return directives
}

function addDirective(directives: Directive[], line: string, offset: number): void {
  const end = offset + line.length
  const comment = line.trim()
  const alone = comment.length > MAX_COMMENT ? null : ALONE.exec(comment)
  if (alone !== null) {
    const start = offset + line.indexOf('<')
    if (alone[1] === undefined) directives.push({ kind: 'close', name: '', start, end })
    else directives.push({ kind: alone[1] === 'verbatim' ? 'open' : 'unknown', name: alone[1], start, end })
    return
  }
  const found = COMMENT.exec(line)
  if (found === null || isInCode(line, found.index)) return
  directives.push({ kind: 'inline', name: '', start: offset + found.index, end })
}

/** A text that shows a directive does so between backticks: an odd number of them stands before it. */
function isInCode(line: string, index: number): boolean {
  let backticks = 0
  for (let at = 0; at < index; at++) if (line[at] === '`') backticks++
  return backticks % 2 === 1
}

function findLineEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x0a || unit === 0x0d) return at
  }
  return text.length
}
