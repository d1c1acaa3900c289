/**
 * Lines of a paragraph. The content of line i is `[starts[i], ends[i])`, after the markers of its
 * containers.
 */
export interface ContentLines {
  readonly text: string
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

/**
 * Returns how many lines at the start of the paragraph `[from, to)` are link reference definitions
 * (CommonMark 0.31, 4.7).
 *
 *     definition  = label ":" white-space* destination (white-space+ title)? end-of-line
 *     label       = "[" text of 1 to 999 characters without unescaped brackets, not blank "]"
 *     destination = "<" text ">" | text without white space, with balanced parentheses
 *     title       = '"' text '"' | "'" text "'" | "(" text ")"
 *
 * White space includes at most one end of line. Takes linear time: a definition is read once, and
 * its title at most once more.
 */
export function readDefinitions(lines: ContentLines, from: number, to: number): number {
  const reader = new ContentReader(lines, from, to)
  let line = from
  while (line < to) {
    reader.moveTo(line)
    reader.skipSpaces()
    if (reader.code !== BRACKET_OPEN || !readDefinition(reader)) break
    line = reader.line + 1
  }
  return line - from
}

const END = -1
const EOL = 10
const BACKSLASH = 92
const BRACKET_OPEN = 91
const BRACKET_CLOSE = 93
const LONGEST_LABEL = 999

/** Reads the content of consecutive lines as one text whose lines end in `EOL`. */
class ContentReader {
  line = 0
  code = END
  private offset = 0
  private readonly lines: ContentLines
  private readonly to: number

  constructor(lines: ContentLines, from: number, to: number) {
    this.lines = lines
    this.to = to
    this.moveTo(from)
  }

  get position(): number {
    return this.offset
  }

  get atBreak(): boolean {
    return this.code === EOL || this.code === END
  }

  get atSpace(): boolean {
    return this.code === 32 || this.code === 9
  }

  get atWhitespace(): boolean {
    return this.atSpace || this.code === EOL
  }

  moveTo(line: number, offset: number = this.lines.starts[line]!): void {
    this.line = line
    this.offset = offset
    this.load()
  }

  next(): void {
    if (this.code === EOL) this.offset = this.lines.starts[++this.line]!
    else if (this.code !== END) this.offset++
    this.load()
  }

  skipSpaces(): void {
    while (this.atSpace) this.next()
  }

  skipWhitespace(): void {
    while (this.atWhitespace) this.next()
  }

  private load(): void {
    const { text, ends } = this.lines
    if (this.offset < ends[this.line]!) this.code = text.charCodeAt(this.offset)
    else this.code = this.line + 1 < this.to ? EOL : END
  }
}

function readDefinition(reader: ContentReader): boolean {
  if (!readLabel(reader) || reader.code !== 58) return false
  reader.next()
  reader.skipWhitespace()
  if (!readDestination(reader)) return false
  const { line, position } = reader
  if (reader.atWhitespace && readTitle(reader)) return true
  reader.moveTo(line, position)
  reader.skipSpaces()
  return reader.atBreak
}

function readLabel(reader: ContentReader): boolean {
  let size = 0
  let seen = false
  reader.next()
  for (;;) {
    if (reader.code === BRACKET_CLOSE) break
    if (reader.code === END || reader.code === BRACKET_OPEN || size > LONGEST_LABEL) return false
    if (reader.code !== EOL) {
      size++
      seen ||= !reader.atSpace
    }
    const escapes = reader.code === BACKSLASH
    reader.next()
    if (escapes && reader.code >= BRACKET_OPEN && reader.code <= BRACKET_CLOSE) {
      size++
      reader.next()
    }
  }
  if (!seen || size > LONGEST_LABEL) return false
  reader.next()
  return true
}

function readDestination(reader: ContentReader): boolean {
  if (reader.code === 60) return readEnclosedDestination(reader)
  if (reader.code === 41 || isSpaceOrControl(reader)) return false
  let depth = 0
  for (;;) {
    const { code } = reader
    if (depth === 0 && (code === 41 || reader.atBreak || reader.atSpace)) return true
    if (isSpaceOrControl(reader)) return false
    if (code === 40) depth++
    if (code === 41) depth--
    reader.next()
    if (code === BACKSLASH && (reader.code === 40 || reader.code === 41 || reader.code === BACKSLASH))
      reader.next()
  }
}

function readEnclosedDestination(reader: ContentReader): boolean {
  reader.next()
  while (reader.code !== 62) {
    if (reader.atBreak || reader.code === 60) return false
    const escapes = reader.code === BACKSLASH
    reader.next()
    if (escapes && (reader.code === 60 || reader.code === 62 || reader.code === BACKSLASH)) reader.next()
  }
  reader.next()
  return true
}

function readTitle(reader: ContentReader): boolean {
  reader.skipWhitespace()
  const open = reader.code
  if (open !== 34 && open !== 39 && open !== 40) return false
  const close = open === 40 ? 41 : open
  reader.next()
  while (reader.code !== close) {
    if (reader.code === END) return false
    const escapes = reader.code === BACKSLASH
    reader.next()
    if (escapes && (reader.code === close || reader.code === BACKSLASH)) reader.next()
  }
  reader.next()
  reader.skipSpaces()
  return reader.atBreak
}

/**
 * Whether the reader is at a space, a control character, or the end of a line or of the text. NUL
 * is excluded, because it represents U+FFFD.
 */
function isSpaceOrControl(reader: ContentReader): boolean {
  const { code } = reader
  return code === 32 || code === 127 || (code < 32 && code !== 0)
}
