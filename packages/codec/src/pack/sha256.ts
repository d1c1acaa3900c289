import { sha256 as hash } from '@noble/hashes/sha2.js'

/** The 32 bytes of the SHA-256 of bytes, or of the UTF-8 of a string. The one place that hashes. */
export function sha256(data: string | Uint8Array): Uint8Array {
  return hash(typeof data === 'string' ? new TextEncoder().encode(data) : data)
}

/** {@link sha256} as 64 lower-case hexadecimal digits. */
export function sha256Hex(data: string | Uint8Array): string {
  let hex = ''
  for (const byte of sha256(data)) hex += byte.toString(16).padStart(2, '0')
  return hex
}
