import { isFencedKind, type LineTable } from '../line-table.ts'
import { scanLines } from '../scan-lines.ts'

/** A part of a text, in UTF-16 offsets; `end` is exclusive. */
export interface Region {
  readonly start: number
  readonly end: number
}

/**
 * A directive: a `<!-- pack:… -->` comment. Offsets are in UTF-16 units; `end` is the end of its
 * line, without the line ending.
 *
 *     directive = white-space* "<!--" blank* ("pack:" name | "/pack") blank* "-->" white-space*
 * (the whole line)
 *     name      = character other than white space and ">"*
 *     blank     = space | tab
 */
export interface Directive {
  /** `inline`: the directive shares its line with other text, so it has no effect. */
  readonly kind: 'open' | 'close' | 'unknown' | 'inline'
  /** The text after `pack:`; empty for `<!-- /pack -->`. */
  readonly name: string
  readonly start: number
  readonly end: number
}

/**
 * Finds the regions between `<!-- pack:verbatim -->` and `<!-- /pack -->`, each on a line of its
 * own outside fenced code. A region includes both comments, but not the line ending after the
 * second. Without a closing comment it extends to the end of the text.
 */
export function findVerbatimRegions(text: string): Region[] {
  const regions: Region[] = []
  let start = 0
  let depth = 0
  for (const directive of scanDirectives(text)) {
    if (directive.kind === 'open') {
      if (depth === 0) start = directive.start
      depth++
    } else if (directive.kind === 'close' && depth > 0) {
      depth--
      if (depth === 0) regions.push({ start, end: directive.end })
    }
  }
  if (depth > 0) regions.push({ start, end: text.length })
  return regions
}

const COMMENT = /<!--[ \t]*(?:pack:|\/pack\b)/
const ALONE = /^<!--[ \t]*(?:pack:([^\s>]*)|\/pack)[ \t]*-->$/
/** Longer comments are not directives, which keeps the time linear. */
const MAX_COMMENT = 200

/**
 * Finds the directives of a markdown text, in order, outside fenced code.
 * @param scan Returns the lines of the text, scanned without front matter. Called only if the text
 *   has a directive.
 */
export function scanDirectives(
  text: string,
  scan: () => LineTable = () => scanLines(text, { frontMatter: false }),
): Directive[] {
  const directives: Directive[] = []
  if (!COMMENT.test(text)) return directives
  const { starts, ends, kinds } = scan()
  let line = 0
  for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', ends[line])) {
    while (ends[line]! < at) line++
    if (!isFencedKind(kinds[line]!))
      addDirective(directives, text.slice(starts[line], ends[line]), starts[line]!)
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
  const at = line.search(COMMENT)
  // After an odd number of backticks it is in code.
  if (at >= 0 && line.slice(0, at).split('`').length % 2 === 1)
    directives.push({ kind: 'inline', name: '', start: offset + at, end })
}
