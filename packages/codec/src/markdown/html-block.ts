import type { LineCursor } from './line-cursor.ts'
import { findText, isAlpha, skipSpaces } from './table-row.ts'

const RAW_NAMES: ReadonlySet<string> = new Set(['pre', 'script', 'style', 'textarea'])
const BLOCK_NAMES: ReadonlySet<string> = new Set(
  (
    'address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt ' +
    'fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li ' +
    'link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th ' +
    'thead title tr track ul'
  ).split(' '),
)
const LONGEST_BLOCK_NAME = 10
const CDATA = '<![CDATA['

/**
 * Returns the start condition (1 to 7 of CommonMark 0.31, 4.6) that the text at an offset meets; 0
 * if none.
 *
 *     1  "<" ("pre" | "script" | "style" | "textarea") (white space | ">" | end of line)
 *     2  "<!--"      3  "<?"      4  "<!" letter      5  "<![CDATA["
 *     6  ("<" | "</") block-name (white space | ">" | "/>" | end of line)
 *     7  (open-tag | closing-tag) white space* end of line
 *
 * Names are case-insensitive. A block of kind 7 must not interrupt a paragraph; the caller checks
 * that.
 */
export function readHtmlStart(text: string, start: number, end: number): number {
  if (text.charCodeAt(start) !== 60) return 0
  const first = start + 1 < end ? text.charCodeAt(start + 1) : 0
  if (first === 33) {
    const second = start + 2 < end ? text.charCodeAt(start + 2) : 0
    if (second === 45) return start + 3 < end && text.charCodeAt(start + 3) === 45 ? 2 : 0
    if (second === 91) return start + CDATA.length <= end && text.startsWith(CDATA, start) ? 5 : 0
    return isAlpha(second) ? 4 : 0
  }
  if (first === 63) return 3
  const closing = first === 47
  const nameStart = start + (closing ? 2 : 1)
  if (nameStart >= end || !isAlpha(text.charCodeAt(nameStart))) return 0
  let offset = nameStart + 1
  while (offset < end && isTagNameCode(text.charCodeAt(offset))) offset++
  const stop = offset < end ? text.charCodeAt(offset) : 10
  if (stop !== 47 && stop !== 62 && stop !== 32 && stop !== 9 && stop !== 10) return 0
  if (offset - nameStart <= LONGEST_BLOCK_NAME) {
    const name = text.slice(nameStart, offset).toLowerCase()
    if (stop !== 47 && !closing && RAW_NAMES.has(name)) return 1
    if (BLOCK_NAMES.has(name))
      return stop !== 47 || (offset + 1 < end && text.charCodeAt(offset + 1) === 62) ? 6 : 0
  }
  const close = closing ? skipSpaces(text, offset, end) : skipAttributes(text, offset, end)
  if (close < 0 || close >= end || text.charCodeAt(close) !== 62) return 0
  return skipSpaces(text, close + 1, end) === end ? 7 : 0
}

/**
 * Number of characters that decide the kind of an HTML block: its marker, or the tag name and the
 * character after it.
 */
export function htmlOpeningWidth(kind: number, text: string, start: number, end: number): number {
  if (kind >= 2 && kind <= 5) return OPENING_WIDTHS[kind - 2]!
  let offset = start + 1
  if (text.charCodeAt(offset) === 47) offset++
  while (offset < end && isTagNameCode(text.charCodeAt(offset))) offset++
  if (text.charCodeAt(offset) === 47) offset++
  return Math.min(offset + 1, end) - start
}

/** `<!--`, `<?`, `<!A`, `<![CDATA[`. */
const OPENING_WIDTHS = [4, 2, 3, CDATA.length]

/** Offset where the search for the end condition starts on the first line of a block. */
export function endSearchStart(kind: number, start: number): number {
  // `<!-->`, `<?>` and `<!a>` are complete blocks: their end may share characters with their start.
  return kind === 2 ? start + 2 : kind === 3 ? start + 1 : kind === 5 ? start + CDATA.length : start + 2
}

/**
 * Whether a line meets the end condition of an HTML block of kind 1 to 5.
 *
 *     1  "</" ("pre" | "script" | "style" | "textarea") ">"
 *     2  "-->"      3  "?>"      4  ">"      5  "]]>"
 */
export function endsHtml(kind: number, text: string, start: number, end: number): boolean {
  if (kind === 2) return findText(text, '-->', start, end) >= 0
  if (kind === 3) return findText(text, '?>', start, end) >= 0
  if (kind === 4) return findText(text, '>', start, end) >= 0
  if (kind === 5) return endsCdata(text, start, end)
  return kind === 1 && endsRaw(text, start, end)
}

/** Reads brackets in pairs, as the reference parser does: `]]]>` does not end the block. */
function endsCdata(text: string, start: number, end: number): boolean {
  for (let offset = start; offset + 2 < end; offset++) {
    if (text.charCodeAt(offset) !== 93 || text.charCodeAt(offset + 1) !== 93) continue
    if (text.charCodeAt(offset + 2) === 62) return true
    offset++
  }
  return false
}

function endsRaw(text: string, start: number, end: number): boolean {
  for (let offset = start; offset + 2 < end; offset++) {
    if (text.charCodeAt(offset) !== 60 || text.charCodeAt(offset + 1) !== 47) continue
    let stop = offset + 2
    while (stop < end && stop < offset + 11 && isAlpha(text.charCodeAt(stop))) stop++
    if (stop >= end || text.charCodeAt(stop) !== 62) continue
    if (RAW_NAMES.has(text.slice(offset + 2, stop).toLowerCase())) return true
  }
  return false
}

/**
 * Offset of the `>` that must follow the attributes of an open tag; -1 if they are malformed.
 *
 *     attributes = (white-space+ name (white-space* "=" white-space* value)?)* white-space* "/"?
 *     name       = (letter | "_" | ":") (letter | digit | "_" | "." | ":" | "-")*
 *     value      = "'" [^']* "'" | '"' [^"]* '"' | [^ \t"'<=>`/]+
 */
function skipAttributes(text: string, start: number, end: number): number {
  let offset = start
  let canAssign = false
  for (;;) {
    offset = skipSpaces(text, offset, end)
    if (offset >= end) return -1
    const code = text.charCodeAt(offset)
    if (code === 61 && canAssign) {
      const value = skipSpaces(text, offset + 1, end)
      offset = skipAttributeValue(text, value, end)
      if (offset < 0) return -1
      // An unquoted value can act as a name here: the reference parser accepts `a=b=c`.
      canAssign = text.charCodeAt(value) !== 34 && text.charCodeAt(value) !== 39
      continue
    }
    if (code === 47) return offset + 1
    if (code !== 58 && code !== 95 && !isAlpha(code)) return offset
    offset++
    while (offset < end && isAttributeNameCode(text.charCodeAt(offset))) offset++
    canAssign = true
  }
}

const UNQUOTED_END = ' \t"\'/<=>`'

function skipAttributeValue(text: string, start: number, end: number): number {
  if (start >= end) return -1
  const quote = text.charCodeAt(start)
  if (quote === 34 || quote === 39) {
    let close = start + 1
    while (close < end && text.charCodeAt(close) !== quote) close++
    if (close + 1 >= end) return -1
    const after = text.charCodeAt(close + 1)
    return after === 47 || after === 62 || after === 32 || after === 9 ? close + 1 : -1
  }
  if (quote === 60 || quote === 61 || quote === 62 || quote === 96) return -1
  let offset = start
  while (offset < end && !UNQUOTED_END.includes(text[offset]!)) offset++
  return offset
}

function isAttributeNameCode(code: number): boolean {
  return isTagNameCode(code) || code === 46 || code === 58 || code === 95
}

function isTagNameCode(code: number): boolean {
  return code === 45 || isAlpha(code) || (code >= 48 && code <= 57)
}

export class OpenHtml {
  private kind = 0

  /** Whether a blank line ends the block (kinds 6 and 7 of CommonMark 0.31, 4.6). */
  get endsAtBlank(): boolean {
    return this.kind >= 6
  }

  /** Opens a block on the line at the cursor; returns whether it continues after that line. */
  open(cursor: LineCursor, kind: number): boolean {
    this.kind = kind
    return !endsHtml(kind, cursor.text, endSearchStart(kind, cursor.next), cursor.end)
  }

  isClosedBy(cursor: LineCursor): boolean {
    return endsHtml(this.kind, cursor.text, cursor.pos, cursor.end)
  }
}
