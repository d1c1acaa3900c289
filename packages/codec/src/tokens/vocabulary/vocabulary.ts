/** The rank of bytes that are not a token, higher than all others. */
export const NO_RANK = 0x7fffffff

/** A slot holds `rank + 1` in its low bits, and 14 bits of the hash above them. */
const RANK_BITS = 18
export const RANK_MASK: number = (1 << RANK_BITS) - 1

/** The tables of a {@link Vocabulary}, in a form that can be stored. */
export interface VocabularyTables {
  /** Token `rank` is `bytes[starts[rank]]` up to `bytes[starts[rank + 1]]`. */
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  /** A hash table with open addressing; its length is a power of two. 0 is an empty slot. */
  readonly slots: Int32Array
  readonly byteRanks: Int32Array
  /** Rank of each pair of bytes, at index `first << 8 | second`. */
  readonly pairRanks: Int32Array
}

/** Finds tokens by their bytes. The hash in a slot excludes most others unread. */
export class Vocabulary {
  readonly tables: VocabularyTables
  readonly byteRanks: Int32Array
  readonly pairRanks: Int32Array
  readonly #bytes: Uint8Array
  readonly #starts: Uint32Array
  readonly #slots: Int32Array
  readonly #mask: number

  constructor(tables: VocabularyTables) {
    this.tables = tables
    this.byteRanks = tables.byteRanks
    this.pairRanks = tables.pairRanks
    this.#bytes = tables.bytes
    this.#starts = tables.starts
    this.#slots = tables.slots
    this.#mask = tables.slots.length - 1
  }

  /** `hash` is the {@link hashBytes} of the token. {@link NO_RANK} if there is none. */
  find(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const slots = this.#slots
    const mask = this.#mask
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const value = slots[slot]!
      if (value === 0) return NO_RANK
      if ((value ^ hash) >>> RANK_BITS !== 0) continue
      const rank = (value & RANK_MASK) - 1
      if (this.#equals(rank, bytes, from, to)) return rank
    }
  }

  lengthOf(rank: number): number {
    return this.#starts[rank + 1]! - this.#starts[rank]!
  }

  /** Rank of these bytes as the result of a merge; {@link NO_RANK} if they are not a token. */
  rankOfMerge(bytes: Uint8Array, from: number, to: number): number {
    if (to - from > MAX_TOKEN_BYTES) return NO_RANK
    return this.find(bytes, from, to, hashBytes(bytes, from, to))
  }

  #equals(rank: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[rank]!
    if (this.#starts[rank + 1]! - start !== to - from) return false
    const tokens = this.#bytes
    for (let at = from, token = start; at < to; at++, token++) if (bytes[at] !== tokens[token]) return false
    return true
  }
}

/** Most bytes of a token. */
export const MAX_TOKEN_BYTES = 128

export function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x5bd1e995)
  return hash ^ (hash >>> 15)
}
