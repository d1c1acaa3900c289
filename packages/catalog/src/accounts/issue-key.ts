import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { CatalogError } from '../catalog-error.ts'
import type { Queries } from '../database/database.ts'
import type { KeyRow } from '../types.ts'

/** Maximum active keys of an account, and maximum rotated keys that have not expired yet. */
const MAX_KEYS = 5
/** Keys and rotations in 24 hours: ended keys stay in the table for 30 days. */
const MAX_KEYS_A_DAY = 50
const DAY_MS = 24 * 60 * 60 * 1000
const MAX_NAME_LENGTH = 100

/** Of an API key, and of a publish token. */
type Prefix = 'kp_' | 'kpub_'
const SECRET_LENGTH = 30
const CHECKSUM_LENGTH = 6
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const DIGITS = /^[0-9A-Za-z]{36}$/
/** Larger bytes would make the first characters of the alphabet more likely than the others. */
const FAIR_BYTES = 248

/** A new key. Its text is not stored and cannot be shown again. */
export interface CreatedKey {
  readonly key: string
  readonly row: KeyRow
}

/** A prefix, 30 random base62 digits (178 bits), and their CRC32 in 6 more. */
export function createKeyText(
  random: (size: number) => Uint8Array = randomBytes,
  prefix: Prefix = 'kp_',
): string {
  let secret = ''
  while (secret.length < SECRET_LENGTH) {
    const fair = random(SECRET_LENGTH).filter((byte) => byte < FAIR_BYTES)
    secret += Array.from(fair, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  }
  secret = secret.slice(0, SECRET_LENGTH)
  return `${prefix}${secret}${computeChecksum(secret)}`
}

export function isKeyText(text: string, prefix: Prefix = 'kp_'): boolean {
  if (!text.startsWith(prefix) || !DIGITS.test(text.slice(prefix.length))) return false
  const secret = text.slice(prefix.length, -CHECKSUM_LENGTH)
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

/** @throws CatalogError `invalid_key`, `invalid_token` */
export function checkName(text: string, what: 'key' | 'token' = 'key'): string {
  const name = text.trim()
  const length = Array.from(name).length
  if (length > 0 && length <= MAX_NAME_LENGTH && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)) return name
  throw new CatalogError(
    `invalid_${what}`,
    length > MAX_NAME_LENGTH
      ? `The name of the ${what} has ${length} characters`
      : `The name of the ${what} is empty or contains control characters`,
    `Describe what the ${what} is for in 1 to ${MAX_NAME_LENGTH} characters on one line.`,
  )
}

/** @throws CatalogError `too_many_keys` */
export async function insertKey(
  transaction: Queries,
  account_id: string,
  name: string,
  now: Date,
): Promise<CreatedKey> {
  const { count } = await transaction
    .selectFrom('keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', account_id)
    .where('created_at', '>', new Date(now.getTime() - DAY_MS).toISOString())
    .executeTakeFirstOrThrow()
  if (count >= MAX_KEYS_A_DAY) {
    const hint = 'Wait until some of them are older, or use the keys that exist.'
    const message = `The account has created ${count} keys in the last 24 hours`
    throw new CatalogError('too_many_keys', message, hint)
  }
  const key = createKeyText()
  const row = {
    id: `key_${randomBytes(16).toString('hex')}`,
    account_id,
    name,
    sha256: hashKey(key),
    last4: key.slice(-4),
    created_at: now.toISOString(),
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    rotated_at: null,
  }
  await transaction.insertInto('keys').values(row).execute()
  return { key, row }
}

const EXPIRY_HINT =
  'Revoke rotated keys that are no longer used, or wait until they expire, 24 hours after the rotation.'

/** @throws CatalogError `too_many_keys`; a rotated key counts while it is valid */
export async function enforceKeyLimit(
  transaction: Queries,
  account: string,
  kind: 'active' | 'rotated',
  now: Date,
): Promise<void> {
  const { count } = await transaction
    .selectFrom('keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', account)
    .where('revoked_at', 'is', null)
    .where('rotated_at', kind === 'active' ? 'is' : 'is not', null)
    .where((where) =>
      where.or([where('expires_at', 'is', null), where('expires_at', '>', now.toISOString())]),
    )
    .executeTakeFirstOrThrow()
  if (count < MAX_KEYS) return
  const [keys, hint] =
    kind === 'active'
      ? ['active keys', 'Revoke a key that is no longer used, or rotate one.']
      : ['rotated keys that have not expired', EXPIRY_HINT]
  throw new CatalogError('too_many_keys', `The account already has ${count} ${keys}`, hint)
}
