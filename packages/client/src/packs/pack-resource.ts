import {
  checkSigner,
  shapeOfPackPreview,
  type PackFault,
  verifyContent,
  verifyPack,
  isNamed,
} from '@packs/codec/verify'
import type { Pack } from '@packs/codec/pack'
import { createError, digestMismatchError, invalidResponseError } from '../client-error.ts'
import type { Connection, Resource } from '../requests/load.ts'
import { parseJson, writePath } from '../requests/shapes.ts'
import type { Store } from '../requests/store.ts'
import type { FullPack, PreviewPack } from '../types.ts'

/** Most bytes of a pack document and of a section. */
export const PACK_LIMIT = 134_217_728
/** A pack as a response or the cache contains it. */
export type PackValue = Omit<FullPack, 'stale' | 'age'> | Omit<PreviewPack, 'stale' | 'age'>

/** What a response should be about. */
export interface Wanted {
  /** Slug or id. */
  readonly name: string
  /** Undefined for the newest. */
  readonly version: string | undefined
}

/** Writes the path of a pack: of its newest version, or of one. */
export function writePackPath({ name, version }: Wanted): string {
  return `/packs/${name}${version === undefined ? '' : `/versions/${encodeURIComponent(version)}`}`
}

/**
 * Returns a value as a verified pack document.
 *
 * @throws {ClientError} `invalid_response`, `digest_mismatch`, `invalid_signature`
 */
export async function verifyPackDocument(value: unknown): Promise<Pack> {
  const { pack, fault } = await verifyPack(value)
  checkFault(fault)
  return pack!
}

/**
 * Checks that a content decodes to the text with its digest.
 *
 * @throws {ClientError} `invalid_response`, `digest_mismatch`
 */
export async function verifySection(section: Pick<Pack, 'content' | 'rosetta' | 'sha256'>): Promise<void> {
  checkFault(await verifyContent(section))
}

function checkFault(fault: PackFault | undefined): void {
  if (fault === 'pack_digest' || fault === 'sha256') throw digestMismatchError(fault)
  if (fault === 'signatures') throw createError('invalid_signature', 'A signature of the pack is invalid')
  if (fault) throw invalidResponseError(`the ${fault} of a pack is wrong`)
}

/**
 * Returns a verified pack with its signer.
 *
 * @param signers key ids; one of these keys must have signed it. Undefined: any, or unsigned
 * @throws {LockError} `signer_mismatch`
 */
export function nameSigner(
  pack: Pack,
  signers: readonly string[] | undefined,
): Omit<FullPack, 'stale' | 'age'> {
  return { ...pack, preview: false, signer: checkSigner(pack, signers) }
}

/**
 * Returns a pack that is whole.
 *
 * @throws {ClientError} `preview_only`
 */
export function requireFull<T extends { readonly preview: boolean; readonly slug: string }>(
  pack: T,
): T & { readonly preview: false } {
  if (pack.preview) throw createError('preview_only', `This is only a preview of ${pack.slug}`)
  return pack as T & { readonly preview: false }
}

/**
 * Checks that a response is about the pack that was asked for.
 *
 * @throws {ClientError} `invalid_response`
 */
export function checkIdentity(
  { name, version }: Wanted,
  found: { readonly id?: string; readonly slug: string; readonly version: string },
): void {
  if (!isNamed(name, found) || (version ?? found.version) !== found.version)
    throw invalidResponseError('it is about another pack or version')
}

/**
 * The resource of a pack. The cache has a full pack under its digest, and the response as a pointer
 * to it, also under the version of the newest pack. A copy that none of the wanted keys signed is
 * requested again, because it may be signed by now.
 *
 * @param signers as for {@link nameSigner}; without them, previews are taken too
 */
export function packResource(
  wanted: Wanted,
  { store, ports }: Connection,
  signers: readonly string[] | undefined,
): Resource<PackValue> {
  const write = (version: string | undefined): string =>
    writePath(writePackPath({ ...wanted, version }), { include: 'document' })
  return {
    path: write(wanted.version),
    limit: PACK_LIMIT,
    async parse(text) {
      const value = parseJson<PackValue>(text, {})
      const pack = value.preview
        ? parseJson<PreviewPack>(text, shapeOfPackPreview)
        : nameSigner(await readDocument(value, store), signers)
      checkIdentity(wanted, pack)
      return signers === undefined ? pack : requireFull(pack)
    },
    async dump(pack) {
      if (pack.preview) return undefined
      await store.writePack(pack)
      const fixed = { text: JSON.stringify({ pack_digest: pack.pack_digest }), isImmutable: true }
      if (wanted.version !== undefined) return fixed
      await store.writeResponse(write(pack.version), { ...fixed, at: ports.now() })
      return { text: fixed.text }
    },
  }
}

/**
 * Returns a full pack, verified; from the cache if the value is a pointer.
 *
 * @throws {ClientError}
 */
async function readDocument(value: Partial<Pack>, store: Store): Promise<Pack> {
  const pack =
    value.content === undefined ? await store.readPack(value.pack_digest!) : await verifyPackDocument(value)
  if (!pack) throw invalidResponseError('it is not JSON')
  return pack
}
