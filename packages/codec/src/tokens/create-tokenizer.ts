import { PieceMerger } from './piece-merger.ts'
import type { Pieces, Tokenizer, TokenizerName } from './types.ts'
import { TokenEnds } from './token-ends.ts'
import { countUnits, createUtf8Buffer } from './utf8-buffer.ts'
import { PATTERNS } from './pre-token-patterns.ts'
import { serializeVocabulary } from './vocabulary/stored-vocabulary.ts'
import { hashBytes, NO_RANK, type Vocabulary } from './vocabulary/vocabulary.ts'

/** Creates the tokenizer `name` from its vocabulary. */
export function createTokenizer(name: TokenizerName, vocabulary: Vocabulary): Tokenizer {
  const endOfPiece = PATTERNS[name]
  const merger = new PieceMerger(vocabulary)
  const buffer = createUtf8Buffer()

  function countTokens(text: string): number {
    const length = buffer.write(text)
    const { bytes } = buffer
    let total = 0
    for (let at = 0; at < length;) {
      const end = endOfPiece(bytes, at)
      total += merger.count(bytes, at, end)
      at = end
    }
    return total
  }

  function countPiece(piece: string): number {
    const length = buffer.write(piece)
    return length === 0 ? 0 : merger.count(buffer.bytes, 0, length)
  }

  function isOneToken(text: string): boolean {
    const length = buffer.write(text)
    const { bytes } = buffer
    if (length === 0 || vocabulary.find(bytes, 0, length, hashBytes(bytes, 0, length)) === NO_RANK)
      return false
    return endOfPiece(bytes, 0) === length
  }

  function visitPieces(
    text: string,
    visit: (bytes: Uint8Array, from: number, to: number, isAscii: boolean) => void,
  ): void {
    const length = buffer.write(text)
    const { bytes } = buffer
    for (let at = 0; at < length;) {
      const end = endOfPiece(bytes, at)
      visit(bytes, at, end, length === text.length)
      at = end
    }
  }

  function encode(text: string): number[] {
    const tokens: number[] = []
    visitPieces(text, (bytes, from, to) => merger.encode(bytes, from, to, tokens))
    return tokens
  }

  function tokenEnds(text: string): Int32Array {
    const ends = new TokenEnds(vocabulary)
    visitPieces(text, (bytes, from, to) => {
      const tokens: number[] = []
      merger.encode(bytes, from, to, tokens)
      ends.add(bytes, from, tokens)
    })
    return ends.take()
  }

  function splitPieces(text: string): Pieces {
    const pieces = createPieceList(text.length)
    let units = 0
    visitPieces(text, (bytes, from, to, isAscii) => {
      units += isAscii ? to - from : countUnits(bytes, from, to)
      pieces.push(units, merger.count(bytes, from, to))
    })
    return pieces.take()
  }

  return {
    name,
    countTokens,
    countPiece,
    isOneToken,
    encode,
    tokenEnds,
    splitPieces,
    vocabulary: () => vocabulary.list(),
    serializeVocabulary: () => serializeVocabulary(name, vocabulary),
  }
}

/** Collects pieces in typed arrays that grow. */
interface PieceList {
  push(end: number, count: number): void
  /** Returns the collected pieces in arrays of their exact length. */
  take(): Pieces
}

const UNITS_PER_PIECE = 4

/** Creates a {@link PieceList} for a text of `units` UTF-16 units. */
function createPieceList(units: number): PieceList {
  let ends = new Uint32Array(Math.ceil(units / UNITS_PER_PIECE) + 16)
  let counts = new Uint32Array(ends.length)
  let size = 0
  return {
    push(end, count) {
      if (size === ends.length) {
        ends = grow(ends)
        counts = grow(counts)
      }
      ends[size] = end
      counts[size++] = count
    },
    take() {
      return { ends: ends.slice(0, size), counts: counts.slice(0, size) }
    },
  }
}

function grow(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(numbers.length * 2)
  grown.set(numbers)
  return grown
}
