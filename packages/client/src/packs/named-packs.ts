import {
  checkPin,
  findPin,
  chooseVersion,
  noMatchingVersionError,
  parsePackName,
  parseRange,
  findSigner,
} from '@packs/codec/verify'
import type { Pack } from '@packs/codec/pack'
import { createError } from '../client-error.ts'
import { type Connection, FRESH, join, load, request, type Resource } from '../requests/load.ts'
import { jsonResource, versionsShape } from '../requests/shapes.ts'
import type { CallOptions, Freshness, FullPack, Lock, PreviewPack, VersionLine } from '../types.ts'
import { nameSigner, packResource, requireFull, type Wanted } from './pack-resource.ts'

/** Returns the newest version that fits a name. @throws {ClientError} @throws {VersionError} */
export function getPack(
  connection: Connection,
  name: string,
  options?: CallOptions,
): Promise<FullPack | PreviewPack> {
  return loadNamed(
    connection,
    name,
    (wanted) => packResource(wanted, connection, connection.signers),
    options,
  )
}

/**
 * Returns the pack that a lock pins: from the cache, else from the catalog. Only the pack that is pinned is kept in the cache. A
 * copy that the pinned key has not signed is requested again.
 *
 * @throws {ClientError} `not_cached`, `preview_only`, `signer_mismatch`
 * @throws {LockError} `not_in_lock`, `lock_mismatch`, `signer_mismatch`
 * @throws {VersionError}
 */
export async function getPinned(
  connection: Connection,
  lock: Lock,
  name: string,
  options: CallOptions = {},
): Promise<FullPack> {
  const { base, store } = connection
  const { slug, pin } = findPin(lock, name)
  const cached = await store.readPack(pin.pack_digest, options.signal)
  if (!cached && base === undefined)
    throw createError('not_cached', `${slug} ${pin.version} is not in the cache`)
  const signers = pin.signer === undefined ? connection.signers : [pin.signer]
  const isCurrent = cached && (base === undefined || !signers || findSigner(cached, signers) !== null)
  const resource = packResource({ name: slug, version: pin.version }, connection, signers)
  const pack: Pack = isCurrent ? cached : requireFull((await request(connection, resource, options))!.value)
  checkPin(slug, pin, pack)
  if (!isCurrent) await store.writePack(pack, options.signal)
  return { ...nameSigner(pack, signers), ...FRESH }
}

/** Returns the versions in the range of a name. @throws {ClientError} @throws {VersionError} */
export async function listVersions(
  connection: Connection,
  name: string,
  options?: CallOptions,
): Promise<readonly VersionLine[]> {
  const { pack, range = '*' } = parsePackName(name)
  const path = `/api/v1/packs/${pack}/versions`
  const resource = jsonResource<{ data: readonly VersionLine[] }>(path, versionsShape)
  const { data, ...freshness } = await load(connection, resource, options)
  const { contains } = parseRange(range)
  return data.filter(({ version }) => contains(version)).map((line) => ({ ...line, ...freshness }))
}

/** Loads what a name means: of the newest version that fits it. @throws {ClientError} @throws {VersionError} */
export async function loadNamed<T extends object>(
  connection: Connection,
  name: string,
  describe: (wanted: Wanted) => Resource<T>,
  options?: CallOptions,
): Promise<T & Freshness> {
  const [wanted, freshness] = await resolveName(connection, name, options)
  return load(connection, describe(wanted), options, freshness)
}

/** Finds the version that a name means; undefined for the newest one. @throws {ClientError} @throws {VersionError} */
export async function resolveName(
  connection: Connection,
  name: string,
  options?: CallOptions,
): Promise<readonly [Wanted, Freshness]> {
  const { pack, range } = parsePackName(name)
  const version = range && parseRange(range).exact
  if (version || range === undefined) return [{ name: pack, version }, FRESH]
  const lines = await listVersions(connection, pack, options)
  const line = chooseVersion(lines, range)
  if (line === undefined) throw noMatchingVersionError(pack, lines, range)
  return [{ name: pack, version: line.version }, join(FRESH, line)]
}
