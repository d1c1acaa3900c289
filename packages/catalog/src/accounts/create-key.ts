import { CatalogError } from '../catalog-error.ts'
import type { Catalog } from '../catalog.ts'
import type { KeyRow } from '../types.ts'
import { createKeyText, hashKey } from './key-text.ts'
import { requireOnline } from './require-online.ts'

const LONGEST_NAME = 100

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

function checkName(text: string): string {
  const name = text.trim()
  const length = Array.from(name).length
  if (length > 0 && length <= LONGEST_NAME && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)) return name
  throw new CatalogError(
    'invalid_key',
    length > LONGEST_NAME
      ? `The name of the key has ${length} characters`
      : 'The name of the key is empty or has control characters',
    `Name what the key is for in 1 to ${LONGEST_NAME} characters on one line.`,
  )
}

function checkExpiry(expiresAt: Date | null, now: Date): string | null {
  if (expiresAt === null) return null
  if (expiresAt.getTime() > now.getTime()) return expiresAt.toISOString()
  const hint = 'Name a time that is still to come, or none.'
  throw new CatalogError('invalid_key', 'The key would have expired before it is made', hint)
}
