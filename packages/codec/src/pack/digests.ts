import { sha256 as hash } from '@noble/hashes/sha2.js'
import type { PatchRow } from '../minify/types.ts'
import { serializeJson } from './canonical-json.ts'
import { serializeCanonical } from './pack-fields.ts'
import type { Pack } from './pack-schema.ts'

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'

/** Derives the id of a pack: `pk_` and 130 bits of its slug's SHA-256 in Crockford's base 32. */
export function derivePackId(slug: string): string {
  let id = 'pk_'
  let bits = 0
  let held = 0
  for (const byte of sha256(slug).subarray(0, 17)) {
    held = ((held << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5 && id.length < 29; bits -= 5) id += CROCKFORD[(held >> (bits - 5)) & 31]
  }
  return id
}

/** SHA-256 of the canonical JSON of what `pack_digest` covers, hexadecimal. */
export function digestPack(pack: Omit<Pack, 'pack_digest'>): string {
  return digestText(serializeCanonical(pack))
}

export function sealPack(draft: Omit<Pack, 'pack_digest'>): Pack {
  return { ...draft, pack_digest: digestPack(draft) }
}

/** SHA-256 of the canonical JSON of the addresses, or of the patch, of a pack, hexadecimal. */
export function digestRows(rows: readonly string[] | readonly PatchRow[]): string {
  return digestText(serializeJson(rows))
}

/** The SHA-256 of a text as UTF-8, as 64 lower-case hexadecimal digits. */
export function digestText(text: string): string {
  let hex = ''
  for (const byte of sha256(text)) hex += byte.toString(16).padStart(2, '0')
  return hex
}

function sha256(text: string): Uint8Array {
  return hash(new TextEncoder().encode(text))
}
