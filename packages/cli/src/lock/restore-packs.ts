import type { Lock } from '@packs/client'
import { packFields } from '@packs/codec/verify'
import type { Pack } from '@packs/codec/pack'
import { CliError } from '../cli-error.ts'
import { findPin } from './lock-place.ts'
import type { OpenCatalog } from './open-catalog.ts'

/** A pack of a lock, with the digests of its pin. */
export interface RestoredPack {
  readonly pack: Pack
  readonly status: 'cached' | 'downloaded'
}

/**
 * Returns a pack of a lock from the cache, or else from the catalog. What the catalog sends is verified and kept in the cache.
 *
 * @param catalog opened with the lock
 * @param name slug, or slug@range
 * @throws ClientError `not_in_lock`, `lock_mismatch`, `not_cached` and those of requests
 */
export async function restorePack(
  { get, cache }: OpenCatalog,
  lock: Lock,
  name: string,
): Promise<RestoredPack> {
  const pin = findPin(lock, name.split('@')[0]!)
  const isCached = pin !== undefined && (await cache.get(`pack/${pin.pack_digest}`)) !== undefined
  const pack = await get(name)
  // Pins are of whole packs, and the client has compared the digests.
  return { pack: pickDocument(pack as Pack), status: isCached ? 'cached' : 'downloaded' }
}

/** Checks that a pack is in the cache, which may be full or not usable. @throws CliError `cache_unusable` */
export async function requireCached({ cache }: OpenCatalog, { slug, pack_digest }: Pack): Promise<void> {
  if ((await cache.get(`pack/${pack_digest}`)) !== undefined) return
  const reason = cache.fault() ?? 'another program removed it'
  throw new CliError(
    'cache_unusable',
    `the cache cannot keep ${slug}: ${reason}`,
    'mend this, or set XDG_CACHE_HOME to a folder that you alone can write to; --out does without the cache',
  )
}

/** Leaves out what is no field of a pack document. */
function pickDocument(pack: Pack): Pack {
  const fields = packFields.filter((key) => pack[key] !== undefined).map((key) => [key, pack[key]] as const)
  return Object.fromEntries(fields) as unknown as Pack
}
