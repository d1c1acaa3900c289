import { PieceMerger } from './piece-merger.ts'
import type { Pieces, Tokenizer, TokenizerName } from './types.ts'
import { countUnits, createUtf8Buffer } from './utf8-buffer.ts'
import { PATTERNS } from './pre-token-patterns.ts'
import { serializeVocabulary } from './vocabulary/stored-vocabulary.ts'
import type { Vocabulary } from './vocabulary/vocabulary.ts'

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
    const ends: number[] = []
    let units = 0
    visitPieces(text, (bytes, from, to) => {
      const tokens: number[] = []
      merger.encode(bytes, from, to, tokens)
      let at = from
      for (const token of tokens) {
        const next = at + vocabulary.lengthOf(token)
        units += countUnits(bytes, at, next)
        at = next
        const isCharacterEnd = at === to || (bytes[at]! & 0xc0) !== 0x80
        ends.push(isCharacterEnd ? units : ~units)
      }
    })
    return Int32Array.from(ends)
  }

  function splitPieces(text: string): Pieces {
    const ends: number[] = []
    const counts: number[] = []
    let units = 0
    visitPieces(text, (bytes, from, to, isAscii) => {
      units += isAscii ? to - from : countUnits(bytes, from, to)
      ends.push(units)
      counts.push(merger.count(bytes, from, to))
    })
    return { ends: new Uint32Array(ends), counts: new Uint32Array(counts) }
  }

  return {
    name,
    countTokens,
    encode,
    tokenEnds,
    splitPieces,
    serializeVocabulary: () => serializeVocabulary(name, vocabulary),
  }
}
