import { hash, randomBytes } from 'node:crypto'

/** Crockford's base32, without letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 25
const HOUR_MS = 60 * 60 * 1000

/** What a code is for. */
export type CodeKind = 'claim' | 'operator' | 'reset' | 'verify'

/** Hours that a code is valid. Those of an operator are passed on by hand, the others are mailed. */
const HOURS: Readonly<Record<CodeKind, number>> = { claim: 7 * 24, operator: 7 * 24, reset: 1, verify: 24 }

/** A new one-time code. Only its digest is stored. */
export interface OneTimeCode {
  readonly text: string
  /** SHA-256 of the text. */
  readonly hash: string
  readonly expiresAt: string
}

/** Creates a code of 125 random bits that is easy to type: `7K3QX-…`, five groups of five. */
export function createCode(kind: CodeKind, now: Date): OneTimeCode {
  const digits = Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  const text = digits.match(/.{5}/g)?.join('-') ?? digits
  const expiresAt = new Date(now.getTime() + HOURS[kind] * HOUR_MS).toISOString()
  return { text, hash: hashCode(text), expiresAt }
}

/** Hashes a code with SHA-256, accepting lower case, spaces, `O` for `0`, and `I` or `L` for `1`. */
export function hashCode(text: string): string {
  const typed = text.slice(0, 100).toUpperCase().replace(/[\s-]/g, '')
  return hash('sha256', typed.replaceAll('O', '0').replace(/[IL]/g, '1'))
}
