import { CatalogError } from '../catalog-error.ts'
import type { Catalog } from '../catalog.ts'
import type { KeyRow } from '../types.ts'
import { unknownKeyError } from './create-key-store.ts'
import { createKeyText, hashKey } from './key-text.ts'

const MAX_NAME_LENGTH = 100

/** A key that was just made: the only time that its text is seen. */
export interface CreatedKey {
  readonly key: string
  readonly row: KeyRow
}

export interface KeyRequest {
  /** Id or address of the account. */
  readonly accountId: string
  /** What its owner knows it by: 1 to 100 characters, none of them a control character. */
  readonly name: string
  /** When it ends. @default never */
  readonly expiresAt?: Date | null | undefined
}

/**
 * Creates a key for an account that has fewer than five.
 *
 * @throws CatalogError `invalid_key`, `unknown_account`, `too_many_keys`, `recovery_mode`
 * @example
 * const { key, row } = await createKey(catalog, { accountId: account.id, name: 'ci' }, new Date())
 */
export async function createKey(catalog: Catalog, request: KeyRequest, now: Date): Promise<CreatedKey> {
  const name = checkName(request.name)
  const expiresAt = checkExpiry(request.expiresAt ?? null, now)
  await requireOnline(catalog)
  const key = createKeyText()
  const row = await catalog.keys.create({
    accountId: request.accountId,
    name,
    sha256: hashKey(key),
    last4: key.slice(-4),
    expiresAt,
    now,
  })
  return { key, row }
}

/**
 * Makes a key in the place of another, which is good for 24 hours more, or less where it ends before.
 *
 * The new one has the name of the old and the life that the old one was given, from now on. A key that is being replaced
 * is none of the five of its account; at most five are at a time.
 *
 * @throws CatalogError `unknown_key`, `key_ended`, `too_many_keys`, `recovery_mode`
 */
export async function rotateKey(catalog: Catalog, id: string, now: Date): Promise<CreatedKey> {
  await requireOnline(catalog)
  const key = createKeyText()
  const row = await catalog.keys.rotate(id, { sha256: hashKey(key), last4: key.slice(-4), now })
  return { key, row }
}

/**
 * Ends a key at once, in recovery mode too; doing it twice changes nothing.
 *
 * @throws CatalogError `unknown_key`
 */
export async function revokeKey({ keys }: Catalog, id: string, now: Date): Promise<KeyRow> {
  const known = await keys.find(id)
  if (known !== undefined && known.revoked_at !== null) return known
  const revoked = await keys.update(id, { revokedAt: now.toISOString() })
  if (revoked === undefined) throw unknownKeyError()
  return revoked
}

/** @throws CatalogError `recovery_mode` unless the service is online */
async function requireOnline({ settings }: Catalog): Promise<void> {
  const { mode } = await settings.mode()
  if (mode === 'online') return
  throw new CatalogError(
    'recovery_mode',
    'The service is in recovery mode: keys can neither be created nor used',
    'Wait until it is online again; an operator ends it with `pack mode online`.',
  )
}

function checkName(text: string): string {
  const name = text.trim()
  const length = Array.from(name).length
  if (length > 0 && length <= MAX_NAME_LENGTH && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)) return name
  throw new CatalogError(
    'invalid_key',
    length > MAX_NAME_LENGTH
      ? `The name of the key has ${length} characters`
      : 'The name of the key is empty or has control characters',
    `Name what the key is for in 1 to ${MAX_NAME_LENGTH} characters on one line.`,
  )
}

function checkExpiry(expiresAt: Date | null, now: Date): string | null {
  if (expiresAt === null) return null
  if (expiresAt.getTime() > now.getTime()) return expiresAt.toISOString()
  const hint = 'Name a time that is still to come, or none.'
  throw new CatalogError('invalid_key', 'The key would have expired before it is made', hint)
}
