import { CACHED_BYTES, MergeCache, NOT_CACHED } from './merge-cache.ts'
import { LongMerger, mergePiece } from './merge-long.ts'
import { hashBytes, NO_RANK, type Vocabulary } from './vocabulary/vocabulary.ts'

/** Merges pre-tokens into tokens, and caches the short ones. */
export class PieceMerger {
  private readonly vocabulary: Vocabulary
  private readonly cache = new MergeCache()
  private readonly long: LongMerger

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary
    this.long = new LongMerger(vocabulary)
  }

  /** Returns the number of tokens of the pre-token from byte `from` up to `to`. */
  count(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashBytes(bytes, from, to)
    if (this.vocabulary.find(bytes, from, to, hash) !== NO_RANK) return 1
    if (to - from > CACHED_BYTES) return this.long.merge(bytes, from, to).count
    return this.cache.countOf(this.mergeCached(bytes, from, to, hash))
  }

  /** Adds the ids of the tokens of a pre-token to `tokens`. */
  encode(bytes: Uint8Array, from: number, to: number, tokens: number[]): void {
    const { vocabulary, cache } = this
    const hash = hashBytes(bytes, from, to)
    const rank = vocabulary.find(bytes, from, to, hash)
    if (rank !== NO_RANK) tokens.push(rank)
    else if (to - from > CACHED_BYTES) {
      const { ids, count } = this.long.merge(bytes, from, to)
      for (let token = 0; token < count; token++) tokens.push(ids[token]!)
    } else {
      const entry = this.mergeCached(bytes, from, to, hash)
      const first = cache.firstOf(entry)
      for (let token = 0; token < cache.countOf(entry); token++) tokens.push(cache.ids[first + token]!)
    }
  }

  private mergeCached(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const entry = this.cache.find(bytes, from, to, hash)
    if (entry !== NOT_CACHED) return entry
    return this.cache.add(bytes, from, to, hash, mergePiece(bytes, from, to, this.vocabulary))
  }
}
