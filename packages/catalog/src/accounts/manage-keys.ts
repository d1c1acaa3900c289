import type { Actor } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import type { SettingStore } from '../settings/create-setting-store.ts'
import type { KeyRow } from '../types.ts'
import type { KeyStore } from './create-key-store.ts'
import { createKeyText, hashKey } from './verify-key.ts'

const MAX_NAME_LENGTH = 100

/** What of a catalog keys need. */
interface KeyPorts {
  readonly keys: KeyStore
  readonly settings: SettingStore
}

/** A new key. Its text is not stored and cannot be shown again. */
export interface CreatedKey {
  readonly key: string
  readonly row: KeyRow
}

export interface KeyRequest {
  /** Id or e-mail address of the account. */
  readonly accountId: string
  /** Label for its owner: 1 to 100 characters, no control characters. */
  readonly name: string
  /** @default never */
  readonly expiresAt?: Date | null | undefined
  /** `reset_at` of the account when its owner was let in; after a later reset nothing is created. @default not compared */
  readonly resetAt?: string | null
  readonly actor: Actor
}

/**
 * Creates a key for an account with fewer than five active keys.
 *
 * @throws CatalogError `invalid_key`, `unknown_account`, `too_many_keys`, `recovery_mode`, `account_disabled`,
 * `access_ended`
 * @example
 * const { key, row } = await createKey(catalog, { accountId: account.id, name: 'ci', actor }, new Date())
 */
export async function createKey(catalog: KeyPorts, request: KeyRequest, now: Date): Promise<CreatedKey> {
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
    ...(request.resetAt !== undefined && { resetAt: request.resetAt }),
    actor: request.actor,
    now,
  })
  return { key, row }
}

/**
 * Creates a key that replaces another. The old one stays valid for 24 hours, or until it expires if that is sooner.
 *
 * The new key has the same name and the same lifetime, counted from now. Rotated keys do not count as active, but an account
 * has at most five of them that are still valid.
 *
 * @throws CatalogError `unknown_key`, `key_ended`, `too_many_keys`, `recovery_mode`, `account_disabled`
 */
export async function rotateKey(catalog: KeyPorts, id: string, actor: Actor, now: Date): Promise<CreatedKey> {
  await requireOnline(catalog)
  const key = createKeyText()
  const row = await catalog.keys.rotate(id, { sha256: hashKey(key), last4: key.slice(-4), actor, now })
  return { key, row }
}

/**
 * Revokes a key immediately, also in recovery mode. Repeating it changes nothing.
 *
 * @throws CatalogError `unknown_key`
 */
export function revokeKey({ keys }: KeyPorts, id: string, actor: Actor, now: Date): Promise<KeyRow> {
  return keys.revoke(id, { actor, now })
}

/** @throws CatalogError `recovery_mode` unless the service is online */
async function requireOnline({ settings }: KeyPorts): Promise<void> {
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
      : 'The name of the key is empty or contains control characters',
    `Describe what the key is for in 1 to ${MAX_NAME_LENGTH} characters on one line.`,
  )
}

function checkExpiry(expiresAt: Date | null, now: Date): string | null {
  if (expiresAt === null) return null
  if (expiresAt.getTime() > now.getTime()) return expiresAt.toISOString()
  const hint = 'Give a time in the future, or none.'
  throw new CatalogError('invalid_key', 'The expiry time of the key is not in the future', hint)
}
