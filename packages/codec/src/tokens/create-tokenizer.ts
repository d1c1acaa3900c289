import { CACHED_BYTES, MergeCache, NOT_CACHED } from './merge-cache.ts'
import { LongMerger, mergePiece } from './merge-long.ts'
import type { Pieces, Tokenizer, TokenizerName } from './types.ts'
import { createUtf8Buffer } from './utf8-buffer.ts'
import { hashBytes, NO_RANK, type RankList, Vocabulary } from './vocabulary.ts'

/** Returns the end of the pre-token that starts at byte `from` of UTF-8 terminated by `END_OF_TEXT`. */
export type EndOfPiece = (bytes: Uint8Array, from: number) => number

/** Creates a tokenizer from a list of tokens by rank and a function that splits text into pre-tokens. */
export function createTokenizer(name: TokenizerName, ranks: RankList, endOfPiece: EndOfPiece): Tokenizer {
  const vocabulary = new Vocabulary(ranks)
  const cache = new MergeCache()
  const long = new LongMerger(vocabulary)
  const buffer = createUtf8Buffer()

  function countBytes(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashBytes(bytes, from, to)
    if (vocabulary.find(bytes, from, to, hash) !== NO_RANK) return 1
    if (to - from > CACHED_BYTES) return long.merge(bytes, from, to).count
    return cache.countOf(mergeCached(bytes, from, to, hash))
  }

  function mergeCached(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const entry = cache.find(bytes, from, to, hash)
    if (entry !== NOT_CACHED) return entry
    return cache.add(bytes, from, to, hash, mergePiece(bytes, from, to, vocabulary))
  }

  function countTokens(text: string): number {
    const length = buffer.write(text)
    const { bytes } = buffer
    let total = 0
    for (let at = 0; at < length;) {
      const end = endOfPiece(bytes, at)
      total += countBytes(bytes, at, end)
      at = end
    }
    return total
  }

  function countPiece(piece: string): number {
    const length = buffer.write(piece)
    return length === 0 ? 0 : countBytes(buffer.bytes, 0, length)
  }

  function isOneToken(text: string): boolean {
    const length = buffer.write(text)
    const { bytes } = buffer
    if (length === 0 || vocabulary.find(bytes, 0, length, hashBytes(bytes, 0, length)) === NO_RANK)
      return false
    return endOfPiece(bytes, 0) === length
  }

  function encode(text: string): number[] {
    const length = buffer.write(text)
    const { bytes } = buffer
    const tokens: number[] = []
    for (let at = 0; at < length;) {
      const end = endOfPiece(bytes, at)
      encodeBytes(bytes, at, end, tokens)
      at = end
    }
    return tokens
  }

  function encodeBytes(bytes: Uint8Array, from: number, to: number, tokens: number[]): void {
    const hash = hashBytes(bytes, from, to)
    const rank = vocabulary.find(bytes, from, to, hash)
    if (rank !== NO_RANK) tokens.push(rank)
    else if (to - from > CACHED_BYTES) {
      const { ids, count } = long.merge(bytes, from, to)
      for (let token = 0; token < count; token++) tokens.push(ids[token]!)
    } else {
      const entry = mergeCached(bytes, from, to, hash)
      const first = cache.firstOf(entry)
      for (let token = 0; token < cache.countOf(entry); token++) tokens.push(cache.ids[first + token]!)
    }
  }

  function tokenEnds(text: string): Int32Array {
    const length = buffer.write(text)
    const { bytes } = buffer
    const ends: number[] = []
    const ids: number[] = []
    let units = 0
    for (let at = 0; at < length;) {
      const end = endOfPiece(bytes, at)
      ids.length = 0
      encodeBytes(bytes, at, end, ids)
      let rest = end - at
      for (const id of ids) rest -= vocabulary.lengthOf(id)
      for (let index = 0; index < ids.length; index++) {
        const isLast = index === ids.length - 1
        // The rank of a merge that begins with a byte order mark is that of the bytes after it: such a piece is not divided.
        const next = isLast ? end : rest === 0 ? at + vocabulary.lengthOf(ids[index]!) : at
        units += countUnits(bytes, at, next)
        at = next
        ends.push(isLast || (rest === 0 && (bytes[at]! & 0xc0) !== 0x80) ? units : ~units)
      }
    }
    return Int32Array.from(ends)
  }

  function splitPieces(text: string): Pieces {
    const length = buffer.write(text)
    const { bytes } = buffer
    const pieces = createPieceList(text.length)
    let units = 0
    for (let at = 0; at < length;) {
      const end = endOfPiece(bytes, at)
      units += length === text.length ? end - at : countUnits(bytes, at, end)
      pieces.push(units, countBytes(bytes, at, end))
      at = end
    }
    return pieces.take()
  }

  function* listVocabulary(): Generator<string> {
    for (const token of ranks) if (typeof token === 'string') yield token
  }

  return {
    name,
    countTokens,
    countPiece,
    isOneToken,
    encode,
    tokenEnds,
    splitPieces,
    vocabulary: listVocabulary,
  }
}

function countUnits(bytes: Uint8Array, from: number, to: number): number {
  let units = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!
    if ((byte & 0xc0) !== 0x80) units += byte < 0xf0 ? 1 : 2
  }
  return units
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
