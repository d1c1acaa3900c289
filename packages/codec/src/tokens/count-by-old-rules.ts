import { PieceMerger } from './piece-merger.ts'
import type { TokenizerName } from './types.ts'
import { createUtf8Buffer } from './utf8-buffer.ts'
import { buildVocabulary, type RankList } from './vocabulary/build-vocabulary.ts'
import { NO_RANK, Vocabulary } from './vocabulary/vocabulary.ts'

/**
 * Loads a function that counts tokens as this package did before it followed tiktoken, to check the
 * counts in packs from that time. Counts then followed gpt-tokenizer, which differs for U+FEFF,
 * U+0085, contractions with `ſ`, the end of a text in cl100k_base, and characters newer than
 * Unicode 16. The function returns NaN for a text that the regular expression cannot split:
 * millions of letters without a space.
 */
export async function loadOldCounter(name: TokenizerName): Promise<(text: string) => number> {
  const [patterns, ranks] = await Promise.all([
    import('gpt-tokenizer/encodingParams/constants'),
    name === 'o200k_base'
      ? import('gpt-tokenizer/bpeRanks/o200k_base')
      : import('gpt-tokenizer/bpeRanks/cl100k_base'),
  ])
  const pattern = name === 'o200k_base' ? patterns.O200K_TOKEN_SPLIT_REGEX : patterns.CL100K_TOKEN_SPLIT_REGEX
  const merger = new PieceMerger(new OldVocabulary(ranks.default))
  const buffer = createUtf8Buffer()
  return (text) => {
    let total = 0
    try {
      for (const [piece] of text.toWellFormed().matchAll(pattern)) {
        const length = buffer.write(piece)
        total += merger.count(buffer.bytes, 0, length)
      }
      return total
    } catch (error) {
      if (error instanceof RangeError) return NaN
      throw error
    }
  }
}

/**
 * Never finds tokens that start with a byte order mark. Merged bytes that start with one have the
 * rank of the text after it.
 */
class OldVocabulary extends Vocabulary {
  readonly #ranks: RankList

  constructor(ranks: RankList) {
    super(buildVocabulary(ranks).tables)
    this.#ranks = ranks
  }

  override find(bytes: Uint8Array, from: number, to: number, hash: number): number {
    return startsWithBom(bytes, from, to) ? NO_RANK : super.find(bytes, from, to, hash)
  }

  override rankOfMerge(bytes: Uint8Array, from: number, to: number): number {
    if (!startsWithBom(bytes, from, to)) return super.rankOfMerge(bytes, from, to)
    const rank = super.rankOfMerge(bytes, from + BOM_BYTES, to)
    return typeof this.#ranks[rank] === 'string' ? rank : NO_RANK
  }
}

const BOM_BYTES = 3

function startsWithBom(bytes: Uint8Array, from: number, to: number): boolean {
  return (
    to - from >= BOM_BYTES && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf
  )
}
