/** The rank of bytes that are not a token; higher than all ranks. */
export const NO_RANK = 0x7fffffff

const RANK_BITS = 18
const RANK_MASK = (1 << RANK_BITS) - 1
const BOM_BYTES = 3

/**
 * The tokens of an encoding, found by their bytes in a hash table with open addressing. A slot holds a rank and 14
 * bits of the hash, which excludes most other tokens without reading their bytes.
 *
 * As in gpt-tokenizer, whose counts packs must match, tokens that begin with a byte order mark are never found,
 * and merged bytes that begin with one have the rank of the text after it.
 */
export class Vocabulary {
  readonly tokens: RankList
  /** Rank of each single byte. */
  readonly byteRanks: Int32Array
  /** Rank of each pair of bytes, at index `first << 8 | second`. */
  readonly pairRanks: Int32Array
  readonly #bytes: Uint8Array
  readonly #starts: Uint32Array
  readonly #slots: Int32Array
  readonly #mask: number
  #longest = 0

  constructor(tokens: RankList) {
    if (tokens.length >= RANK_MASK)
      throw new RangeError(`At most ${RANK_MASK - 1} tokens, not ${tokens.length}`)
    this.tokens = tokens
    const { bytes, starts } = packRanks(tokens)
    this.#bytes = bytes
    this.#starts = starts
    this.byteRanks = new Int32Array(1 << 8).fill(NO_RANK)
    this.pairRanks = new Int32Array(1 << 16).fill(NO_RANK)
    this.#mask = 2 ** Math.ceil(Math.log2(tokens.length * 2)) - 1
    this.#slots = new Int32Array(this.#mask + 1)
    for (let rank = 0; rank < tokens.length; rank++) this.#add(rank)
  }

  /** Rank of the token with these bytes, {@link NO_RANK} if there is none; `hash` is their {@link hashBytes}. */
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

  /** Bytes of the token with this rank. */
  lengthOf(rank: number): number {
    return this.#starts[rank + 1]! - this.#starts[rank]!
  }

  /** Rank of these bytes as the result of a merge, {@link NO_RANK} if they are not a token. */
  rankOfMerge(bytes: Uint8Array, from: number, to: number): number {
    if (to - from > this.#longest + BOM_BYTES) return NO_RANK
    if (bytes[from] === 0xef && startsWithBom(bytes, from, to)) return this.#rankBehindBom(bytes, from, to)
    return this.find(bytes, from, to, hashBytes(bytes, from, to))
  }

  #rankBehindBom(bytes: Uint8Array, bom: number, to: number): number {
    const from = bom + BOM_BYTES
    const rank = this.find(bytes, from, to, hashBytes(bytes, from, to))
    return typeof this.tokens[rank] === 'string' ? rank : NO_RANK
  }

  #equals(rank: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[rank]!
    if (this.#starts[rank + 1]! - start !== to - from) return false
    const tokens = this.#bytes
    for (let at = from, token = start; at < to; at++, token++) if (bytes[at] !== tokens[token]) return false
    return true
  }

  #add(rank: number): void {
    const bytes = this.#bytes
    const from = this.#starts[rank]!
    const to = this.#starts[rank + 1]!
    if (from === to || startsWithBom(bytes, from, to)) return
    if (to - from > this.#longest) this.#longest = to - from
    if (to - from === 1) this.byteRanks[bytes[from]!] = rank
    if (to - from === 2) this.pairRanks[(bytes[from]! << 8) | bytes[from + 1]!] = rank
    const hash = hashBytes(bytes, from, to)
    let slot = hash & this.#mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask
    this.#slots[slot] = (hash & ~RANK_MASK) | (rank + 1)
  }
}

/** 32-bit hash of bytes for {@link Vocabulary.find}. */
export function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x5bd1e995)
  return hash ^ (hash >>> 15)
}

function startsWithBom(bytes: Uint8Array, from: number, to: number): boolean {
  return (
    to - from >= BOM_BYTES && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf
  )
}

/**
 * The tokens of an encoding by rank: as text, or as bytes if they are not valid UTF-8 (or begin with a byte order
 * mark).
 */
export type RankList = readonly (string | readonly number[] | undefined)[]

/** A {@link RankList} as bytes: token `rank` is `bytes[starts[rank]]` up to `bytes[starts[rank + 1]]`. */
interface PackedRanks {
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
}

const BYTES_PER_TOKEN = 8
const encoder = new TextEncoder()

/** Concatenates the bytes of all tokens; a rank without a token has no bytes. */
function packRanks(tokens: RankList): PackedRanks {
  const starts = new Uint32Array(tokens.length + 1)
  let bytes = new Uint8Array(tokens.length * BYTES_PER_TOKEN)
  let end = 0
  for (let rank = 0; rank < tokens.length; rank++) {
    starts[rank] = end
    const token = tokens[rank] ?? ''
    const most = end + token.length * 3
    if (most > bytes.length) bytes = grow(bytes, most)
    if (typeof token === 'string') end = writeText(bytes, end, token)
    else for (const byte of token) bytes[end++] = byte
  }
  starts[tokens.length] = end
  return { bytes: bytes.slice(0, end), starts }
}

function writeText(bytes: Uint8Array, start: number, token: string): number {
  for (let index = 0; index < token.length; index++) {
    const unit = token.charCodeAt(index)
    if (unit >= 0x80) return start + encoder.encodeInto(token, bytes.subarray(start)).written
    bytes[start + index] = unit
  }
  return start + token.length
}

function grow(bytes: Uint8Array, needed: number): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(Math.max(needed, bytes.length * 2))
  grown.set(bytes)
  return grown
}
