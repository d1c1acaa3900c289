import {
  checkPin,
  findPin,
  chooseVersion,
  noMatchingVersionError,
  parsePackName,
  parseRange,
  findSigner,
  shapeOfPackSection,
} from '@packs/codec/verify'
import type { Pack } from '@packs/codec/pack'
import { createError, type ClientError, invalidResponseError } from '../client-error.ts'
import { type Connection, FRESH, join, load, request, type Resource } from '../requests/load.ts'
import { jsonResource, versionsShape, outlineShape, writePath } from '../requests/shapes.ts'
import type {
  CallOptions,
  Freshness,
  FullPack,
  Lock,
  PreviewPack,
  VersionLine,
  Outline,
  OutlineSection,
  Section,
  SectionOptions,
} from '../types.ts'
import {
  nameSigner,
  packResource,
  requireFull,
  type Wanted,
  checkIdentity,
  PACK_LIMIT,
  verifySection,
  writePackPath,
} from './pack-resource.ts'
import type { PackSection } from '../generated/responses.ts'

/**
 * Returns the newest version that fits a name.
 *
 * @throws {ClientError}
 * @throws {VersionError}
 */
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
 * Returns the pack that a lock pins, from the cache or else from the catalog. Only the pinned pack
 * is cached. A copy that the pinned key has not signed is requested again.
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

/**
 * Loads a resource of the newest version that fits a name.
 *
 * @throws {ClientError}
 * @throws {VersionError}
 */
export async function loadNamed<T extends object>(
  connection: Connection,
  name: string,
  describe: (wanted: Wanted) => Resource<T>,
  options?: CallOptions,
): Promise<T & Freshness> {
  const [wanted, freshness] = await resolveName(connection, name, options)
  return load(connection, describe(wanted), options, freshness)
}

/**
 * Finds the version that a name means; undefined for the newest one.
 *
 * @throws {ClientError}
 * @throws {VersionError}
 */
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

interface OutlinePage {
  readonly data: readonly OutlineSection[]
  readonly meta: { readonly slug: string; readonly version: string; readonly next: string | null }
}

/** Most pages of an outline, of 1,000 sections. */
const MAX_OUTLINE_PAGES = 1000

export async function getOutline(
  connection: Connection,
  name: string,
  options?: CallOptions,
): Promise<Outline> {
  let [wanted, freshness] = await resolveName(connection, name, options)
  const sections: OutlineSection[] = []
  for (let page = 1; page <= MAX_OUTLINE_PAGES; page++) {
    const asked = wanted
    const path = writePath(`${writePackPath(asked)}/sections`, { page })
    const check = ({ meta }: OutlinePage): void => checkIdentity(asked, meta)
    const resource = jsonResource(path, outlineShape, check)
    const { data, meta, ...joined } = await load(connection, resource, options, freshness)
    const { slug, version, next } = meta
    // Later pages are of the same version, even if a newer one is published meanwhile.
    wanted = { ...asked, version }
    freshness = joined
    for (const section of data) sections.push(section)
    if (next === null) return { slug, version, sections, ...joined }
  }
  throw createError('response_too_large', `The response is larger than ${MAX_OUTLINE_PAGES} pages`)
}

export async function getSection(
  connection: Connection,
  name: string,
  section: string,
  options: SectionOptions = {},
): Promise<Section> {
  const asked = String(section).toWellFormed()
  // These would change the path.
  if (/^\.{0,2}$/.test(asked)) throw sectionNotFoundError()
  const query = { subtree: options.subtree || undefined }
  const { pack, id, ...rest } = await loadNamed(
    connection,
    name,
    (wanted) => {
      const path = writePath(`${writePackPath(wanted)}/sections/${encodeURIComponent(asked)}`, query)
      const resource = jsonResource<PackSection>(path, shapeOfPackSection, async (found) => {
        checkIdentity(wanted, { slug: found.pack, version: found.version })
        if (found.id !== asked) throw invalidResponseError('it is about another section')
        await verifySection(found)
      })
      return { ...resource, limit: PACK_LIMIT }
    },
    options,
  )
  return { ...rest, slug: pack, section: id }
}

/** Creates the error for a section that a pack does not have. */
export function sectionNotFoundError(): ClientError {
  return createError('section_not_found', 'No section has this id')
}
