import { mergeByHeap, mergeShort, SHORT_PIECE, type Tokens } from './merge-bytes.ts'
import { LongMerger } from './merge-long.ts'
import { hashBytes, NO_RANK, type Vocabulary } from './vocabulary/vocabulary.ts'

/** Merges pre-tokens into tokens, caching the short ones. */
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
    const merge = to - from <= SHORT_PIECE ? mergeShort : mergeByHeap
    return this.cache.add(bytes, from, to, hash, merge(bytes, from, to, this.vocabulary))
  }
}

const SLOTS = 1 << 16
const ENTRIES = SLOTS / 2
const POOL = 1 << 19

/** The most bytes of a piece in a {@link MergeCache}. */
const CACHED_BYTES = 128

/** The entry of a piece that is not in the {@link MergeCache}. */
const NOT_CACHED = 0

/**
 * Caches the tokens of merged pieces by their bytes. Takes at most 3.2 MB, and is emptied when
 * full.
 */
class MergeCache {
  /** Token ids; an entry's ids start at {@link firstOf}. */
  readonly ids: Int32Array = new Int32Array(POOL)
  readonly #bytes = new Uint8Array(POOL)
  readonly #slots = new Uint16Array(SLOTS)
  readonly #hashes = new Int32Array(ENTRIES)
  // An entry has at most as many ids as bytes, so both pools use the same start.
  readonly #starts = new Int32Array(ENTRIES)
  readonly #lengths = new Uint8Array(ENTRIES)
  readonly #counts = new Uint8Array(ENTRIES)
  #size = 0
  #end = 0

  /** Returns the entry for these bytes; {@link NOT_CACHED} if there is none. */
  find(bytes: Uint8Array, from: number, to: number, hash: number): number {
    for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const entry = this.#slots[slot]!
      if (entry === NOT_CACHED) return NOT_CACHED
      if (this.#hashes[entry] === hash && this.#equals(entry, bytes, from, to)) return entry
    }
  }

  countOf(entry: number): number {
    return this.#counts[entry]!
  }

  firstOf(entry: number): number {
    return this.#starts[entry]!
  }

  /**
   * Adds the tokens of at most {@link CACHED_BYTES} bytes that are not cached yet, and returns
   * their entry.
   */
  add(bytes: Uint8Array, from: number, to: number, hash: number, { ids, count }: Tokens): number {
    if (this.#size + 1 === ENTRIES || this.#end + to - from > POOL) this.#clear()
    const entry = ++this.#size
    const start = this.#end
    for (let at = from; at < to; at++) this.#bytes[start + at - from] = bytes[at]!
    for (let token = 0; token < count; token++) this.ids[start + token] = ids[token]!
    this.#starts[entry] = start
    this.#lengths[entry] = to - from
    this.#counts[entry] = count
    this.#hashes[entry] = hash
    this.#end = start + to - from
    let slot = hash & (SLOTS - 1)
    while (this.#slots[slot] !== NOT_CACHED) slot = (slot + 1) & (SLOTS - 1)
    this.#slots[slot] = entry
    return entry
  }

  #equals(entry: number, bytes: Uint8Array, from: number, to: number): boolean {
    if (this.#lengths[entry] !== to - from) return false
    const kept = this.#bytes
    for (let at = from, slot = this.#starts[entry]!; at < to; at++, slot++) {
      if (bytes[at] !== kept[slot]) return false
    }
    return true
  }

  #clear(): void {
    this.#slots.fill(NOT_CACHED)
    this.#size = 0
    this.#end = 0
  }
}
