import { matchEnd } from './inlines/inline-html.ts'
import type { LineCursor } from './line-cursor.ts'

/** How kinds 1 to 6 begin. */
// prettier-ignore
const STARTS: readonly RegExp[] = [
  /<(?:pre|script|style|textarea)(?=[ \t\n\r>]|$)/iy,
  /<!--/y,
  /<\?/y,
  /<![a-z]/iy,
  /<!\[CDATA\[/y,
  /<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[ \t\n\r>]|\/>|$)/iy,
]

const CLOSING_TAG = /<\/[a-z][a-z\d-]*(?=[ \t>])/iy
const OPEN_TAG = /<[a-z][a-z\d-]*(?=[ \t/>])/iy
/** The reference parser accepts `a=b=c`. */
const ATTRIBUTE =
  /[ \t]*[a-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?!["'<=>`\n\r]|$)[^ \t"'/<=>`\n\r]*)*(?:[ \t]*=[ \t]*(?:"[^"\n\r]*"|'[^'\n\r]*')(?=[ \t/>]))?/iy
const CLOSING_TAG_END = /[ \t]*>[ \t]*(?=[\n\r]|$)/y
const OPEN_TAG_END = /[ \t]*\/?>[ \t]*(?=[\n\r]|$)/y

/**
 * Returns the start condition (1 to 7 of CommonMark 0.31, 4.6) that the rest of a line meets; 0 if
 * none. A block of kind 7 must not interrupt a paragraph; the caller checks that.
 */
export function readHtmlStart(text: string, start: number): number {
  const kind = STARTS.findIndex((pattern) => matchEnd(pattern, text, start) >= 0) + 1
  return kind === 0 && isTagAlone(text, start) ? 7 : kind
}

function isTagAlone(text: string, start: number): boolean {
  const closing = matchEnd(CLOSING_TAG, text, start)
  if (closing >= 0) return matchEnd(CLOSING_TAG_END, text, closing) >= 0
  let end = matchEnd(OPEN_TAG, text, start)
  if (end < 0) return false
  for (let next = end; next >= 0; next = matchEnd(ATTRIBUTE, text, end)) end = next
  return matchEnd(OPEN_TAG_END, text, end) >= 0
}

const NAME = /<\/?[a-z\d-]*\/?/iy
/** `<!--`, `<?`, `<!A`, `<![CDATA[`. */
const OPENING_WIDTHS = [4, 2, 3, 9]

/** Characters that decide the kind: a marker, or a tag name and what follows it. */
export function htmlOpeningWidth(kind: number, text: string, start: number, end: number): number {
  if (kind >= 2 && kind <= 5) return OPENING_WIDTHS[kind - 2]!
  return Math.min(matchEnd(NAME, text, start) + 1, end) - start
}

/** Where the search for an end starts: `<!-->`, `<?>` and `<!a>` are complete blocks. */
export function endSearchStart(kind: number, start: number): number {
  return start + (kind === 3 ? 1 : kind === 5 ? 9 : 2)
}

/** How kinds 1 to 4 end. */
const ENDS: readonly RegExp[] = [/<\/(?:pre|script|style|textarea)>/i, /-->/, /\?>/, />/]

/** Whether a line meets the end condition of an HTML block of kind 1 to 5. */
export function endsHtml(kind: number, text: string, start: number, end: number): boolean {
  const line = text.slice(start, end)
  // The reference parser reads brackets in pairs: `]]]>` does not end the block.
  if (kind === 5) return Array.from(line.matchAll(/\]\](>?)/g)).some(([, close]) => close === '>')
  return ENDS[kind - 1]?.test(line) ?? false
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
