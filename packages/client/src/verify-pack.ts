import { decode, restore } from '@packs/codec'
import {
  digestRows,
  findWrongSignature,
  packFields,
  readSignatures,
  serializeCanonical,
} from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { shapeOfPack } from './generated/shapes.ts'
import { fits, hashText } from './shapes.ts'

/** A field's type, the digest, content that does not decode, its digest, or a signature. */
export type PackFault = 'fields' | 'pack_digest' | 'content' | 'sha256' | 'signatures'

/** The pack document, without keys that the format does not define, or what is wrong with it. */
type VerifiedPack =
  | { readonly pack: Pack; readonly fault?: never }
  | { readonly fault: PackFault; readonly pack?: never }

/**
 * Verifies a pack document with Web Crypto: its digests are those of its fields, its content
 * decodes to the text with its digest, its patch restores the source, and its signatures hold.
 * Where the runtime has no Ed25519, the pack is returned without them. Loads no schema and counts
 * nothing, as `checkPack` does; that the digest is right shows that the fields are.
 * @example
 * const { pack, fault } = await verifyPack(await response.json())
 */
export async function verifyPack(value: unknown): Promise<VerifiedPack> {
  if (!fits(value, shapeOfPack)) return { fault: 'fields' }
  const given = new Map(Object.entries(value as Pack))
  const fields = packFields.filter((key) => given.get(key) !== undefined)
  const pack = Object.fromEntries(fields.map((key) => [key, given.get(key)])) as unknown as Pack
  const canonical = serialize(pack)
  if (canonical === undefined) return { fault: 'fields' }
  if ((await hashText(canonical)) !== pack.pack_digest) return { fault: 'pack_digest' }
  const fault = isChanged(pack) ? 'pack_digest' : await verifyContent(pack)
  return fault === undefined ? verifySignatures(pack) : { fault }
}

/** Returns undefined for a pack that is nested too deeply for the stack, which no pack is. */
function serialize(pack: Pack): string | undefined {
  try {
    return serializeCanonical(pack)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Whether the links or the patch of a pack are not those of their digests. */
function isChanged({ links, links_sha256, patch, patch_sha256 }: Pack): boolean {
  return (
    (links !== undefined && digestRows(links) !== links_sha256) ||
    (patch !== undefined && digestRows(patch) !== patch_sha256)
  )
}

async function verifySignatures(pack: Pack): Promise<VerifiedPack> {
  const { signatures: given, ...unsigned } = pack
  if (given === undefined) return { pack }
  const signatures = readSignatures(given)
  if (signatures === undefined) return { fault: 'signatures' }
  try {
    const signed = { ...unsigned, signatures }
    return (await findWrongSignature(signed)) === undefined ? { pack: signed } : { fault: 'signatures' }
  } catch (error) {
    if ((error as Error).name === 'NotSupportedError') return { pack: unsigned }
    throw error
  }
}

/** Whether a content gives the text with its digest, and a patch the source; what is wrong. */
async function verifyContent(pack: Pack): Promise<'content' | 'sha256' | undefined> {
  const { content, rosetta, sha256, text_sha256: textDigest = sha256, patch = [] } = pack
  try {
    const text = decode(content, rosetta)
    if ((await hashText(text)) !== textDigest) return 'sha256'
    if (patch.length === 0) return undefined
    return (await hashText(restore({ content, rosetta, patch }))) === sha256 ? undefined : 'sha256'
  } catch {
    return 'content'
  }
}
