import { deriveKeyId, isKey } from './pack-signature.ts'

/** `active` keys sign, `retired` ones verify earlier signatures, `revoked` ones do neither. */
export type KeyStatus = 'active' | 'retired' | 'revoked'

/** A public key of a publisher, as a JSON Web Key (RFC 7517, RFC 8037). */
export interface PublicKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  /** 32 bytes in base64url. */
  readonly x: string
  readonly kid: string
  readonly status: KeyStatus
  readonly name?: string
  /** RFC 3339, UTC; only of a revoked key. */
  readonly revoked_at?: string
  readonly reason?: string
}

/** The public keys of a publisher: the document `packs-keys.json`. */
export interface KeysDocument {
  readonly keys: readonly PublicKey[]
}

/** In UTF-16 units. */
const MAX_KEYS_TEXT = 65_536
const MAX_KEYS = 100
const MAX_NAME = 100
const MAX_REASON = 500

export type KeysErrorCode = 'invalid_keys' // `packs-keys.json` is malformed or too large, or has a wrong id or a key that is repeated, private or on another curve

export class KeysError extends Error {
  override readonly name = 'KeysError'
  readonly code: KeysErrorCode = 'invalid_keys'
  readonly hint: string = 'Write it with pack signers, or get it from its publisher again.'
}

/**
 * Parses a keys document, and checks that each id belongs to its key. Unknown members are dropped.
 * @throws KeysError `invalid_keys`, which names the position
 */
export async function parseKeys(text: string): Promise<KeysDocument> {
  if (text.length > MAX_KEYS_TEXT) throw invalidKeysError(`it has more than ${MAX_KEYS_TEXT} characters`)
  const list = readList(text)
  if (list === undefined) throw invalidKeysError('it is not a JSON object with a list of keys')
  if (list.length > MAX_KEYS) throw invalidKeysError(`it has more than ${MAX_KEYS} keys`)
  const keys: PublicKey[] = []
  for (const [index, value] of list.entries()) {
    const fault = await findFault(value, keys)
    if (fault !== undefined) throw invalidKeysError(`keys[${index}]${fault}`)
    keys.push(pickFields(value as PublicKey))
  }
  return { keys }
}

/** Serializes a keys document: two spaces, a final line end. */
export function serializeKeys({ keys }: KeysDocument): string {
  return `${JSON.stringify({ keys: keys.map(pickFields) }, null, 2)}\n`
}

function readList(text: string): readonly unknown[] | undefined {
  try {
    const value = JSON.parse(text) as { readonly keys?: unknown } | null
    return Array.isArray(value?.keys) ? value.keys : undefined
  } catch {
    return undefined
  }
}

/** Describes what is wrong with a key, from the place in it on. */
async function findFault(value: unknown, before: readonly PublicKey[]): Promise<string | undefined> {
  if (typeof value !== 'object' || value === null) return ' is not an object'
  // A private key in a public document is no longer secret.
  if ('d' in value) return ' contains a private key (d): revoke it, and never publish that file'
  const { kty, crv, x, kid, status, name, revoked_at, reason } = value as Record<string, unknown>
  if (kty !== 'OKP' || crv !== 'Ed25519') return ' is not an Ed25519 key (kty OKP, crv Ed25519)'
  if (!isKey(x)) return '.x is not 32 bytes in base64url'
  if (kid !== (await deriveKeyId(x))) return '.kid is not the thumbprint of the key'
  if (before.some((key) => key.kid === kid)) return '.kid matches an earlier key'
  if (status !== 'active' && status !== 'retired' && status !== 'revoked')
    return '.status is not active, retired or revoked'
  if (!isLine(name, MAX_NAME)) return `.name is not a line of 1 to ${MAX_NAME} characters`
  if (!isLine(reason, MAX_REASON)) return `.reason is not a line of 1 to ${MAX_REASON} characters`
  const isTime =
    typeof revoked_at === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(revoked_at)
  return revoked_at === undefined || (isTime && status === 'revoked')
    ? undefined
    : '.revoked_at is not a UTC time, or the key is not revoked'
}

function isLine(value: unknown, most: number): boolean {
  if (value === undefined) return true
  return typeof value === 'string' && value.length <= most && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(value)
}

function pickFields({ kid, status, name, revoked_at, reason, x }: PublicKey): PublicKey {
  const given = Object.entries({ name, revoked_at, reason }).filter(([, value]) => value !== undefined)
  return { kid, kty: 'OKP', crv: 'Ed25519', x, status, ...Object.fromEntries(given) }
}

function invalidKeysError(fault: string): KeysError {
  return new KeysError(`The keys document cannot be used: ${fault}`)
}
