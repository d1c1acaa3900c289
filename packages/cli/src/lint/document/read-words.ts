import type { LineTable } from '@packs/codec/markdown'
import { type Block, Prose } from './scan-inlines.ts'

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
