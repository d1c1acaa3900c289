import { shapeOfPackPreview } from '../generated/shapes.ts'
import { checkSigner } from '../signer.ts'
import { chooseVersion, VersionError, parsePackName, parseRange } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { createError, digestMismatchError, invalidResponseError } from '../client-error.ts'
import {
  type Connection,
  FRESH,
  type Resource,
  join,
  load,
  jsonResource,
  outlineShape,
  parseJson,
  versionsShape,
  writePath,
} from '../requests/load.ts'
import type { CallOptions, Freshness, FullPack, PreviewPack, VersionLine } from '../types.ts'
import type { OutlineSection } from '../generated/responses.ts'

/** @throws {ClientError}, {VersionError} */
export async function getPack(
  connection: Connection,
  name: string,
  options?: CallOptions,
): Promise<FullPack | PreviewPack> {
  try {
    const [wanted, freshness] = await resolveName(connection, name, options)
    return await load(connection, packResource(wanted, connection, connection.signers), options, freshness)
  } catch (error) {
    return (await import('./purged-copies.ts')).learnPurges(connection, error)
  }
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
 * The version that a name means; undefined for the newest one.
 * @throws {ClientError}, {VersionError}
 */
async function resolveName(
  connection: Connection,
  name: string,
  options?: CallOptions,
): Promise<readonly [Wanted, Freshness]> {
  const { pack, range } = parsePackName(name)
  const version = range && parseRange(range).exact
  if (version || range === undefined) return [{ name: pack, version }, FRESH]
  const lines = await listVersions(connection, pack, options)
  const line = chooseVersion(lines, range)
  if (line === undefined) throw VersionError.noMatch(pack, lines, range)
  return [{ name: pack, version: line.version }, join(FRESH, line)]
}

interface OutlinePage {
  readonly data: readonly OutlineSection[]
  readonly meta: { readonly slug: string; readonly version: string; readonly next: string | null }
}

/** Most pages of an outline, of 1,000 sections. */
const MAX_OUTLINE_PAGES = 1000

/** Lists the sections of a pack of which only the preview may be read. */
export async function getOutline(
  connection: Connection,
  name: string,
  options?: CallOptions,
): Promise<readonly OutlineSection[]> {
  let [wanted, freshness] = await resolveName(connection, name, options)
  const sections: OutlineSection[] = []
  for (let page = 1; page <= MAX_OUTLINE_PAGES; page++) {
    const asked = wanted
    const path = writePath(`${writePackPath(asked)}/sections`, { page })
    const check = ({ meta }: OutlinePage): void => checkIdentity(asked, meta)
    const resource = jsonResource(path, outlineShape, check)
    const { data, meta, ...joined } = await load(connection, resource, options, freshness)
    // Later pages are of the same version, even if a newer one is published meanwhile.
    wanted = { ...asked, version: meta.version }
    freshness = joined
    for (const section of data) sections.push(section)
    if (meta.next === null) return sections
  }
  throw createError('response_too_large', `The response is larger than ${MAX_OUTLINE_PAGES} pages`)
}

/** Most bytes of a pack document. */
export const PACK_LIMIT = 134_217_728
/** A pack as a response or the cache contains it. */
type PackValue = Omit<FullPack, 'stale' | 'age'> | Omit<PreviewPack, 'stale' | 'age'>

/** What a response should be about. */
interface Wanted {
  /** Slug or id. */
  readonly name: string
  /** Undefined for the newest. */
  readonly version: string | undefined
}

/** Writes the path of a pack: of its newest version, or of one. */
function writePackPath({ name, version }: Wanted): string {
  return `/packs/${name}${version === undefined ? '' : `/versions/${encodeURIComponent(version)}`}`
}

/** @throws {ClientError} `invalid_response`, `digest_mismatch`, `invalid_signature` */
export async function verifyPackDocument(value: unknown): Promise<Pack> {
  // It has the decoder and the digests.
  const { verifyPack } = await import('../verify-pack.ts')
  const { pack, fault } = await verifyPack(value)
  if (fault === undefined) return pack
  if (fault === 'pack_digest' || fault === 'sha256') throw digestMismatchError(fault)
  if (fault === 'signatures') throw createError('invalid_signature', 'A signature of the pack is invalid')
  throw invalidResponseError(`the ${fault} of a pack is wrong`)
}

/**
 * @param signers key ids, one of which must have signed it; undefined: any, or unsigned
 * @throws {LockError} `signer_mismatch`
 */
export function nameSigner(
  pack: Pack,
  signers: readonly string[] | undefined,
): Omit<FullPack, 'stale' | 'age'> {
  return { ...pack, preview: false, signer: checkSigner(pack, signers) }
}

/** @throws {ClientError} `preview_only` */
export function requireFull<T extends { readonly preview: boolean; readonly slug: string }>(
  pack: T,
): T & { readonly preview: false } {
  if (pack.preview) throw createError('preview_only', `This is only a preview of ${pack.slug}`)
  return pack as T & { readonly preview: false }
}

/** @throws {ClientError} `invalid_response` for another pack than was asked for */
function checkIdentity(
  { name, version }: Wanted,
  found: { readonly id?: string; readonly slug: string; readonly version: string },
): void {
  // Without an id only the slug is known: any id is then one of its names.
  const isNamed = name === found.slug || (name.startsWith('pk_') && name === (found.id ?? name))
  if (!isNamed || (version ?? found.version) !== found.version)
    throw invalidResponseError('it is about another pack or version')
}

/**
 * The cache has a full pack under its digest, and the response as a pointer to it, also under the
 * version of the newest pack. A copy that no wanted key signed is requested again.
 * @param signers as for {@link nameSigner}; without them, previews are taken too
 */
export function packResource(
  wanted: Wanted,
  connection: Connection,
  signers: readonly string[] | undefined,
): Resource<PackValue> {
  const { store, ports } = connection
  const write = (version: string | undefined): string =>
    writePath(writePackPath({ ...wanted, version }), { include: 'document' })
  return {
    path: write(wanted.version),
    limit: PACK_LIMIT,
    async parse(text) {
      const value = parseJson<PackValue>(text, {})
      const pack = value.preview
        ? parseJson<PreviewPack>(text, shapeOfPackPreview)
        : nameSigner(await readDocument(value, connection), signers)
      checkIdentity(wanted, pack)
      return signers === undefined ? pack : requireFull(pack)
    },
    async dump(pack) {
      if (pack.preview) return undefined
      await store.writePack(pack)
      await (await import('./purged-copies.ts')).noteContact(connection)
      const fixed = { text: JSON.stringify({ pack_digest: pack.pack_digest }), isImmutable: true }
      if (wanted.version !== undefined) return fixed
      await store.writeResponse(write(pack.version), { ...fixed, at: ports.now() })
      return { text: fixed.text }
    },
  }
}

/**
 * A pointer leads to the cache; other values are verified.
 * @throws {ClientError}
 */
async function readDocument(value: Partial<Pack>, connection: Connection): Promise<Pack> {
  if (value.content !== undefined) return verifyPackDocument(value)
  const pack = await connection.store.readPack(value.pack_digest!)
  if (!pack) throw invalidResponseError('it is not JSON')
  const { requireUnpurged } = await import('./purged-copies.ts')
  await requireUnpurged(connection, pack)
  return pack
}
