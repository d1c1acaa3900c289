import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'kp_'
const SECRET_LENGTH = 30
const CHECKSUM_LENGTH = 6
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SHAPE = /^kp_[0-9A-Za-z]{36}$/
/** Larger bytes would make the first characters of the alphabet more likely than the others. */
const FAIR_BYTES = 248

/**
 * Creates the text of a key: `kp_`, 30 random base62 digits (178 bits), and their CRC32 in 6 more.
 *
 * @param random returns the given number of random bytes
 */
export function createKeyText(random: (size: number) => Uint8Array = randomBytes): string {
  let secret = ''
  while (secret.length < SECRET_LENGTH) {
    const fair = random(SECRET_LENGTH).filter((byte) => byte < FAIR_BYTES)
    secret += Array.from(fair, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  }
  secret = secret.slice(0, SECRET_LENGTH)
  return `${PREFIX}${secret}${computeChecksum(secret)}`
}

/** Returns whether a text has the form of a key and the right checksum, without a look-up. */
export function isKeyText(text: string): boolean {
  if (!SHAPE.test(text)) return false
  const secret = text.slice(PREFIX.length, -CHECKSUM_LENGTH)
  return text.endsWith(computeChecksum(secret))
}

/** Returns the SHA-256 of a key in hexadecimal, the only form that is stored. */
export function hashKey(text: string): string {
  return hash('sha256', text)
}

function computeChecksum(secret: string): string {
  let rest = crc32(secret)
  let digits = ''
  for (let count = 0; count < CHECKSUM_LENGTH; count++) {
    digits = `${ALPHABET[rest % ALPHABET.length]}${digits}`
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}
