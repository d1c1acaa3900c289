/** Of the format, and of gpt-tokenizer, which supplies the ranks. */
export const VOCABULARY_VERSION = '3-4.0.0'

const TITLE_BYTES = 64
const HEADER_BYTES = 96
const CHECKSUM_WORD = HEADER_BYTES / 4 - 1
/** The first word after the title; it shows the byte order. */
const BYTE_ORDER = 0x01020304
const BYTE_RANKS = 1 << 8
const PAIR_RANKS = 1 << 16

/**
 * Writes a vocabulary as bytes: a header, then its tables in the byte order of this machine. The
 * header contains the name and {@link VOCABULARY_VERSION} in 64 bytes of ASCII, then 32-bit words:
 * byte order, number of tokens, bytes of the tokens, slots, and the checksum of all other words.
 */
export function serializeVocabulary(name: string, { tables }: Vocabulary): Uint8Array {
  const { bytes, starts, slots, byteRanks, pairRanks } = tables
  const counts = [starts.length - 1, bytes.length, slots.length]
  const layout = describeLayout(counts)
  const file = new Uint8Array(layout.end)
  file.set(writeTitle(name))
  const words = new Int32Array(file.buffer)
  words.set([BYTE_ORDER, ...counts], TITLE_BYTES / 4)
  words.set(starts, layout.starts / 4)
  words.set(slots, layout.slots / 4)
  words.set(byteRanks, layout.byteRanks / 4)
  words.set(pairRanks, layout.pairRanks / 4)
  file.set(bytes, layout.bytes)
  words[CHECKSUM_WORD] = computeChecksum(words)
  return file
}

/**
 * Reads what {@link serializeVocabulary} wrote, without copying it: `file` must not change
 * afterwards. Undefined if the bytes are damaged or of another name, version or byte order.
 */
export function parseVocabulary(name: string, file: Uint8Array): Vocabulary | undefined {
  if (file.length < HEADER_BYTES || file.length % 4 !== 0) return undefined
  // A slice of a Buffer would not be a copy.
  const aligned = file.byteOffset % 4 === 0 ? file : new Uint8Array(file)
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4)
  const title = writeTitle(name)
  if (title.some((byte, at) => byte !== aligned[at])) return undefined
  const [order, ...counts] = words.subarray(TITLE_BYTES / 4, TITLE_BYTES / 4 + 4)
  if (order !== BYTE_ORDER || counts.some((count) => count < 0)) return undefined
  const layout = describeLayout(counts)
  if (layout.end !== file.length || computeChecksum(words) !== words[CHECKSUM_WORD]) return undefined
  const { buffer } = aligned
  const [tokens, length, slots] = counts
  const offset = aligned.byteOffset
  return new Vocabulary({
    bytes: new Uint8Array(buffer, offset + layout.bytes, length),
    starts: new Uint32Array(buffer, offset + layout.starts, tokens! + 1),
    slots: new Int32Array(buffer, offset + layout.slots, slots),
    byteRanks: new Int32Array(buffer, offset + layout.byteRanks, BYTE_RANKS),
    pairRanks: new Int32Array(buffer, offset + layout.pairRanks, PAIR_RANKS),
  })
}

function writeTitle(name: string): Uint8Array {
  const title = new Uint8Array(TITLE_BYTES)
  new TextEncoder().encodeInto(`packs vocabulary ${VOCABULARY_VERSION} ${name}\n`, title)
  return title
}

/** Offsets of the tables in the file, in bytes. */
function describeLayout([tokens = 0, length = 0, slotCount = 0]: readonly number[]) {
  const starts = HEADER_BYTES
  const slots = starts + 4 * (tokens + 1)
  const byteRanks = slots + 4 * slotCount
  const pairRanks = byteRanks + 4 * BYTE_RANKS
  const bytes = pairRanks + 4 * PAIR_RANKS
  return { starts, slots, byteRanks, pairRanks, bytes, end: bytes + 4 * Math.ceil(length / 4) }
}

/** FNV-1a over all words except the checksum itself. Changing a single word always changes it. */
function computeChecksum(words: Int32Array): number {
  let sum = 0x811c9dc5 | 0
  for (let at = 0; at < words.length; at++) {
    if (at !== CHECKSUM_WORD) sum = Math.imul(sum ^ words[at]!, 0x01000193)
  }
  return sum
}

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
