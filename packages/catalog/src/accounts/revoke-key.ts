import { createUnknownKey } from './create-key-store.ts'
import type { Catalog } from '../catalog.ts'
import type { KeyRow } from '../types.ts'

/**
 * Ends a key at once, in recovery mode too; doing it twice changes nothing.
 *
 * @throws CatalogError `unknown_key`
 */
export async function revokeKey({ keys }: Catalog, id: string, now: Date): Promise<KeyRow> {
  const known = await keys.find(id)
  if (known !== undefined && known.revoked_at !== null) return known
  const revoked = await keys.update(id, { revokedAt: now.toISOString() })
  if (revoked === undefined) throw createUnknownKey()
  return revoked
}
