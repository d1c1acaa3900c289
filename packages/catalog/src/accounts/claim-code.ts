import { hash, randomBytes } from 'node:crypto'

/** Crockford's base32: no letter that is mistaken for a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 25

/** Makes a one-time code of 125 random bits, to be read out and typed: `7K3QX-…`, five groups of five. */
export function createClaimCode(): string {
  const digits = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return digits.match(/.{5}/g)?.join('-') ?? digits
}

/** Gives the SHA-256 of a code however it is typed: small letters, spaces, `O` for `0`, `I` and `L` for `1`. */
export function hashClaimCode(code: string): string {
  const typed = code.slice(0, 100).toUpperCase().replace(/[\s-]/g, '')
  return hash('sha256', typed.replaceAll('O', '0').replace(/[IL]/g, '1'))
}
