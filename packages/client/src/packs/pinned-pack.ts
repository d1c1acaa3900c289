import type { Pack } from '@packs/codec/pack'
import { type ClientError, createError } from '../client-error.ts'
import { checkPin, findPin } from '../lock.ts'
import { type Connection, FRESH, load, request } from '../requests/load.ts'
import { findSigner } from '../signer.ts'
import type { CallOptions, FullPack, Lock, PreviewPack } from '../types.ts'
import { nameSigner, packResource, requireFull } from './named-packs.ts'

/**
 * Returns the pack that a lock pins, from the cache or else from the catalog. Only the pinned pack
 * is cached. A copy that the pinned key has not signed is requested again.
 *
 * A preview that a lock pins is not cached as a pack.
 * @throws {ClientError} `not_cached`, `preview_only`, `purged_version`, `signer_mismatch`
 * @throws {LockError} `not_in_lock`, `lock_mismatch`, `signer_mismatch`
 * @throws {VersionError}
 */
export async function getPinned(
  connection: Connection,
  lock: Lock,
  name: string,
  options: CallOptions = {},
): Promise<FullPack | PreviewPack> {
  const { base, store } = connection
  const { slug, pin } = findPin(lock, name)
  const { pack_digest: digest } = pin
  const cached = digest === undefined ? undefined : await store.readPack(digest, options.signal)
  const { learnPurges, noteContact, requireUnpurged } = await import('./purged-copies.ts')
  if (!cached && base === undefined) {
    // What is known may say why it is missing.
    const ports = { ...connection.ports, maxPurgeAge: Infinity }
    const pack = { slug, version: pin.version, pack_digest: digest ?? '' }
    await requireUnpurged({ ...connection, ports }, pack, options)
    throw createError('not_cached', `${slug} ${pin.version} is not in the cache`)
  }
  const signers = pin.signer === undefined ? connection.signers : [pin.signer]
  if (digest === undefined) {
    const asked = { name: slug, version: pin.version }
    const pack = await load(connection, packResource(asked, connection, signers), options)
    checkPin(slug, pin, pack)
    return pack
  }
  if (cached) await requireUnpurged(connection, cached, options)
  const isCurrent = cached && (base === undefined || !signers || findSigner(cached, signers) !== null)
  const resource = packResource({ name: slug, version: pin.version }, connection, signers)
  const learn = (error: unknown): Promise<never> => {
    const { code, message, ...details } = error as ClientError
    if (cached || !/^(?:unreachable|timeout)$/.test(code)) return learnPurges(connection, error)
    const missing = `${slug} ${pin.version} is not in the cache. ${message}`
    throw createError(code, missing, { ...details, cause: error })
  }
  const pack: Pack = isCurrent
    ? cached
    : requireFull((await request(connection, resource, options).catch(learn))!.value)
  checkPin(slug, pin, pack)
  if (!isCurrent) {
    await store.writePack(pack, options.signal)
    await noteContact(connection)
  }
  return { ...nameSigner(pack, signers), ...FRESH }
}
