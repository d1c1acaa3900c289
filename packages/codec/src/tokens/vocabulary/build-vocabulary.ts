import { hashBytes, MAX_TOKEN_BYTES, NO_RANK, RANK_MASK, Vocabulary } from './stored-vocabulary.ts'

/** The tokens of an encoding by rank, as text, or as bytes if not valid UTF-8. */
export type RankList = readonly (string | readonly number[] | undefined)[]

/** @throws {RangeError} for 262,143 tokens or more, or a token of more than 128 bytes */
export function buildVocabulary(ranks: RankList): Vocabulary {
  if (ranks.length >= RANK_MASK)
    throw new RangeError(`A vocabulary has at most ${RANK_MASK - 1} tokens, not ${ranks.length}`)
  const { bytes, starts } = packRanks(ranks)
  const byteRanks = new Int32Array(1 << 8).fill(NO_RANK)
  const pairRanks = new Int32Array(1 << 16).fill(NO_RANK)
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(ranks.length * 2)))
  const mask = slots.length - 1
  for (let rank = 0; rank < ranks.length; rank++) {
    const from = starts[rank]!
    const to = starts[rank + 1]!
    if (from === to) continue
    if (to - from > MAX_TOKEN_BYTES)
      throw new RangeError(`A token has at most ${MAX_TOKEN_BYTES} bytes, not ${to - from}`)
    if (to - from === 1) byteRanks[bytes[from]!] = rank
    if (to - from === 2) pairRanks[(bytes[from]! << 8) | bytes[from + 1]!] = rank
    const hash = hashBytes(bytes, from, to)
    let slot = hash & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = (hash & ~RANK_MASK) | (rank + 1)
  }
  return new Vocabulary({ bytes, starts, slots, byteRanks, pairRanks })
}

const BYTES_PER_TOKEN = 8
const encoder = new TextEncoder()

/** Concatenates the bytes of all tokens; a rank without a token has no bytes. */
function packRanks(tokens: RankList): { readonly bytes: Uint8Array; readonly starts: Uint32Array } {
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
