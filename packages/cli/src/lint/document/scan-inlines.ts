import {
  CodeSpans,
  isRowKind,
  LineKind,
  LineMark,
  type LineTable,
  readResourceEnd,
  readTagEnd,
} from '@packs/codec/internal'

/** A link or an image. Offsets are UTF-16 units. */
export interface Link {
  readonly isImage: boolean
  /** Start of `[` or `![`. */
  readonly start: number
  readonly end: number
  readonly textStart: number
  readonly textEnd: number
  /** The target as written, without angle brackets and title; absent for a reference. */
  readonly target?: string | undefined
}

/** Consecutive lines of one paragraph, heading or table row; `to` is exclusive. */
export interface Block {
  readonly from: number
  readonly to: number
}

/** What a character is for the reader of words; a value of the prose of {@link scanInlines}. */
export const Prose = {
  /** Markup, targets of links, HTML, templates, and everything outside of blocks of text. */
  none: 0,
  text: 1,
  code: 2,
  /** Markers of emphasis, and what a link adds to its text: they do not end a phrase. */
  marker: 3,
} as const

/**
 * Finds the prose, links and images in the paragraphs, headings and table rows of a document, in
 * linear time.
 */
export function scanInlines(
  lines: LineTable,
  skipped: Uint8Array,
): { readonly prose: Uint8Array; readonly links: readonly Link[]; readonly blocks: readonly Block[] } {
  const scan = new InlineScan(lines)
  const blocks = findBlocks(lines, skipped)
  for (const block of blocks) scan.scan(block)
  return { prose: scan.prose, links: scan.links, blocks }
}

function findBlocks({ count, kinds, marks }: LineTable, skipped: Uint8Array): Block[] {
  const blocks: Block[] = []
  for (let line = 0; line < count; line++) {
    const kind = kinds[line]!
    if (skipped[line] === 1 || !isTextKind(kind)) continue
    const from = line
    if (kind === LineKind.paragraph || kind === LineKind.headingText) {
      while (
        line + 1 < count &&
        kinds[line + 1] === kind &&
        skipped[line + 1] === 0 &&
        !(marks[line + 1]! & LineMark.startsLeaf)
      )
        line++
    }
    blocks.push({ from, to: line + 1 })
  }
  return blocks
}

function isTextKind(kind: number): boolean {
  return (
    kind === LineKind.paragraph ||
    kind === LineKind.headingText ||
    kind === LineKind.atxHeading ||
    isRowKind(kind)
  )
}

/** Longest template or expression in braces. */
const LONGEST_BRACES = 1024
const ADDRESS = /(?:https?:\/\/|www\.|mailto:)[^\s<>)\]]*/y

class InlineScan {
  readonly prose: Uint8Array
  readonly links: Link[] = []
  private readonly lines: LineTable
  private readonly text: string
  private readonly spans: CodeSpans
  /** Offsets of the open `[`. */
  private open: number[] = []
  /** Offset of the next `}`, so that a text full of `{` is not searched again at each of them. */
  private brace = -1

  constructor(lines: LineTable) {
    this.lines = lines
    this.text = lines.text
    this.prose = new Uint8Array(lines.text.length)
    this.spans = new CodeSpans(lines.text)
  }

  scan({ from, to }: Block): void {
    const { lines } = this
    const end = lines.bodyEnds[to - 1]!
    this.spans.load(lines.bodyStarts[from]!, end)
    this.open = []
    let offset = lines.bodyStarts[from]!
    for (let line = from; line < to; line++) {
      offset = Math.max(offset, lines.bodyStarts[line]!)
      while (offset < lines.bodyEnds[line]!) offset = this.readAt(offset, end)
    }
  }

  /** Reads the construct at an offset and returns the offset after it. */
  private readAt(offset: number, end: number): number {
    const { text, prose } = this
    switch (text.charCodeAt(offset)) {
      case 92: // backslash
        return offset + 2
      case 96: // backtick
        return this.readCode(offset)
      case 60: // <
        return this.skipTo(readTagEnd(text, offset, end), offset)
      case 123: // {
        return this.skipTo(this.findBracesEnd(offset, end), offset)
      case 42: // *
      case 126: // ~
        prose[offset] = Prose.marker
        return offset + 1
      case 91: // [
        this.open.push(offset)
        prose[offset] = Prose.marker
        return offset + 1
      case 93: // ]
        prose[offset] = Prose.marker
        return this.closeBracket(offset, end)
      case 104: // h
      case 119: // w
      case 109: // m
        ADDRESS.lastIndex = offset
        if (ADDRESS.test(text)) return ADDRESS.lastIndex
    }
    prose[offset] = Prose.text
    return offset + 1
  }

  private skipTo(found: number, offset: number): number {
    return found < 0 ? offset + 1 : found
  }

  private findBracesEnd(offset: number, end: number): number {
    const { text } = this
    if (this.brace < offset) {
      const found = text.indexOf('}', offset)
      this.brace = found < 0 ? text.length : found
    }
    return this.brace >= Math.min(end, offset + LONGEST_BRACES) ? -1 : readBracesEnd(text, offset, end)
  }

  private readCode(offset: number): number {
    const end = this.spans.findEnd(offset)
    if (end < 0) return offset + this.spans.runLength(offset)
    this.prose.fill(Prose.code, offset, end)
    return end
  }

  private closeBracket(offset: number, end: number): number {
    const { text } = this
    const start = this.open.pop()
    if (start === undefined) return offset + 1
    const next = text.charCodeAt(offset + 1)
    if (next === 40 && offset + 1 < end) {
      const linkEnd = readResourceEnd(text, offset + 1, end)
      if (linkEnd < 0) return offset + 1
      this.addLink(start, offset, linkEnd, readTarget(text.slice(offset + 2, linkEnd - 1)))
      return linkEnd
    }
    if (next !== 91 || offset + 1 >= end) return offset + 1
    const close = text.indexOf(']', offset + 2)
    if (close < 0 || close >= end || close - offset > LONGEST_BRACES) return offset + 1
    this.addLink(start, offset, close + 1)
    return close + 1
  }

  private addLink(bracket: number, textEnd: number, end: number, target?: string): void {
    const isImage = this.text.charCodeAt(bracket - 1) === 33 && this.text.charCodeAt(bracket - 2) !== 92
    const start = isImage ? bracket - 1 : bracket
    if (isImage) this.prose.fill(Prose.none, start, end)
    else this.prose.fill(Prose.marker, textEnd, end)
    this.links.push({ isImage, start, end, textStart: bracket + 1, textEnd, target })
  }
}

function readTarget(resource: string): string {
  const found = /^\s*(?:<([^<>]*)>|(\S*))/.exec(resource)
  return found?.[1] ?? found?.[2] ?? ''
}

/** End of `{{…}}`, `{%…%}` or `{…}` at an offset, -1 if there is none nearby. */
function readBracesEnd(text: string, start: number, end: number): number {
  const limit = Math.min(end, start + LONGEST_BRACES)
  let depth = 0
  for (let offset = start; offset < limit; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 123) depth++
    else if (code === 125 && --depth === 0) return offset + 1
  }
  return -1
}

/** What separates a word from the one before it; the value of {@link Words.gaps}. */
export const Gap = {
  /** White space and markup. */
  space: 0,
  /** Punctuation, code, an address, or text in a script that does not separate words. */
  broken: 1,
  /** The beginning of a block, cell or sentence. */
  sentence: 2,
} as const

/** Words of a text in order, as parallel arrays. Offsets are UTF-16 units. */
export interface Words {
  readonly texts: readonly string[]
  readonly starts: readonly number[]
  readonly gaps: readonly number[]
}

/** Longer words are names of things, not words. */
const LONGEST_WORD = 60
/** Signs of paths, identifiers, addresses and formulas, inside a piece of text without spaces. */
const TECHNICAL = /[/\\_@#$=<>^&+%{}]|[\p{L}\p{N}][.:][\p{L}\p{N}]/u
const EDGES = /^[^\p{L}\p{N}/\\@#$-]+|(?<=[\p{L}\p{N}/\\@#$])[^\p{L}\p{N}/\\@#$]+$/gu
/** A word, a run of Katakana, or an end of a sentence. */
const TOKENS =
  /[\p{sc=Katakana}ー]{2,}|(?:(?![\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}])[\p{L}\p{M}\p{N}])+(?:['’\-‑](?:(?![\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}])[\p{L}\p{M}\p{N}])+)*|[.!?:|。！？：]|[^\s*~[\]()_]/gu

/**
 * Reads the words of the prose, in linear time. Code, URLs, paths and identifiers are not words,
 * and a phrase does not span them. A run of Katakana is a word; other scripts that do not separate
 * words give none.
 */
export function readWords(lines: LineTable, prose: Uint8Array, blocks: readonly Block[]): Words {
  const reader = new WordReader(lines.text, prose)
  for (const { from, to } of blocks) {
    reader.gap = Gap.sentence
    for (let line = from; line < to; line++) reader.readLine(lines.bodyStarts[line]!, lines.bodyEnds[line]!)
  }
  return reader
}

class WordReader implements Words {
  readonly texts: string[] = []
  readonly starts: number[] = []
  readonly gaps: number[] = []
  gap: number = Gap.sentence
  private readonly text: string
  private readonly prose: Uint8Array

  constructor(text: string, prose: Uint8Array) {
    this.text = text
    this.prose = prose
  }

  readLine(start: number, end: number): void {
    const { text, prose } = this
    let offset = start
    while (offset < end) {
      if (isSpace(text.charCodeAt(offset))) {
        offset++
        continue
      }
      const isText = isTextAt(prose, offset)
      const pieceStart = offset
      while (offset < end && !isSpace(text.charCodeAt(offset)) && isTextAt(prose, offset) === isText) offset++
      if (isText) this.readPiece(pieceStart, offset)
      else this.break(Gap.broken)
    }
  }

  private break(gap: number): void {
    if (gap > this.gap) this.gap = gap
  }

  private readPiece(start: number, end: number): void {
    const { text, prose } = this
    let piece = text.slice(start, end)
    if (hasMarker(prose, start, end)) piece = blankMarkers(piece, prose, start)
    const isAttached = start > 0 && prose[start - 1] === Prose.code
    if (isAttached || TECHNICAL.test(piece.replace(EDGES, ''))) {
      this.break(/[.!?][^\w.!?]*$/.test(piece) ? Gap.sentence : Gap.broken)
      return
    }
    TOKENS.lastIndex = 0
    for (const { 0: token, index } of piece.matchAll(TOKENS)) this.addToken(token, start + index)
  }

  private addToken(token: string, start: number): void {
    if (!/[\p{L}\p{N}]/u.test(token) || (token.length === 1 && isUnspaced(token))) {
      this.break(/^[.!?:|。！？：]$/.test(token) ? Gap.sentence : Gap.broken)
      return
    }
    if (token.length > LONGEST_WORD) {
      this.break(Gap.broken)
      return
    }
    this.texts.push(token)
    this.starts.push(start)
    this.gaps.push(this.gap)
    this.gap = Gap.space
  }
}

function isTextAt(prose: Uint8Array, offset: number): boolean {
  const kind = prose[offset]
  return kind === Prose.text || kind === Prose.marker
}

function hasMarker(prose: Uint8Array, start: number, end: number): boolean {
  for (let offset = start; offset < end; offset++) if (prose[offset] === Prose.marker) return true
  return false
}

/** Replaces markers by asterisks, so that the target of a link is not read as words. */
function blankMarkers(piece: string, prose: Uint8Array, start: number): string {
  let blanked = ''
  for (let at = 0; at < piece.length; at++)
    blanked += prose[start + at] === Prose.marker ? '*' : piece.charAt(at)
  return blanked
}

function isUnspaced(token: string): boolean {
  return /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]/u.test(token)
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 160
}
