/** The tokens of an encoding by rank: text, or bytes where they are no UTF-8 (or begin with a byte order mark). */
export type RankList = readonly (string | readonly number[] | undefined)[]

/** A {@link RankList} as bytes: token `rank` is `bytes[starts[rank]]` up to `bytes[starts[rank + 1]]`. */
export interface PackedRanks {
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
}

const BYTES_PER_TOKEN = 8
const encoder = new TextEncoder()

/** Lays the tokens one behind another; a rank without a token has no bytes. */
export function packRanks(tokens: RankList): PackedRanks {
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
