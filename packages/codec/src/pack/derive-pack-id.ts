import { sha256 } from './sha256.ts'

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * The id of the pack with this slug: `pk_` and the first 130 bits of the slug's SHA-256 as 26 digits of Crockford's
 * base 32 in lower case.
 *
 * Two packs share an id only if they share a slug, so building twice gives one pack.
 */
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
