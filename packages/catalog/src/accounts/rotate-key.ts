import type { Catalog } from '../catalog.ts'
import type { CreatedKey } from './create-key.ts'
import { createKeyText, hashKey } from './key-text.ts'
import { requireOnline } from './require-online.ts'

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
