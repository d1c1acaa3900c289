import { fieldLimits, findWrongSignature, readSignatures, type PackSignature } from '@packs/codec/internal'
import { type Actor, recordAudit } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import type { Database } from '../database/dialect.ts'
import { changeCatalog } from '../database/change-catalog.ts'
import { updatePackRow } from './pack-row.ts'
import { readOneVersion } from './read-versions.ts'
import { openDocument, parseSignatures, unreadableColumnError } from './version-row.ts'
import { requireVersion } from './yank-version.ts'

/** Verifies a signature against the document: no reader is ever sent one that does not hold. */
async function requireValid(
  { reads }: Database,
  slug: string,
  version: string,
  signature: PackSignature,
): Promise<void> {
  const stored = await readOneVersion(reads, slug, version)
  if (stored === undefined) return void (await requireVersion(reads, slug, version))
  const { pack_digest } = openDocument(stored)
  const signatures = readSignatures([signature])
  if (signatures !== undefined && !(await findWrongSignature({ pack_digest, signatures }))) return
  const hint = 'Sign the digest of this version, with the key that the signature names.'
  throw new CatalogError('invalid_signature', `The signature is not one of ${slug}@${version}`, hint)
}

/**
 * Adds a signature, which changes the pack, so that downloads and caches get it. A key signs a
 * version once: again, nothing changes.
 * @throws CatalogError `unknown_pack`, `unknown_version`, `invalid_signature`,
 *   `too_many_signatures`
 */
export async function addSignature(
  database: Database,
  slug: string,
  version: string,
  signature: PackSignature,
  actor: Actor,
): Promise<{ readonly isNew: boolean; readonly signatures: readonly PackSignature[] }> {
  await requireValid(database, slug, version, signature)
  return changeCatalog(database, async (transaction, advance) => {
    const { pack, row } = await requireVersion(transaction, slug, version)
    const before = parseSignatures(row)
    if (before === undefined)
      throw unreadableColumnError('signatures', row.sequence, { damaged: { slug, version } })
    if (before.some(({ key_id }) => key_id === signature.key_id)) return { isNew: false, signatures: before }
    if (before.length >= fieldLimits.signatures)
      throw new CatalogError(
        'too_many_signatures',
        `${slug}@${version} has ${fieldLimits.signatures} signatures, which is the most`,
        'Publish a new version, and sign it with the new key.',
      )
    const { key_id, public_key, signature: bytes } = signature
    const signatures = [...before, { key_id, public_key, signature: bytes }]
    await transaction
      .updateTable('versions')
      .set({ signatures: JSON.stringify(signatures) })
      .where('sequence', '=', row.sequence)
      .execute()
    await updatePackRow(transaction, pack, advance())
    await recordAudit(transaction, {
      at: database.now(),
      action: 'version.signed',
      actor,
      target: `${pack.slug}@${version}`,
      details: { key_id },
    })
    return { isNew: true, signatures }
  })
}
