import { CatalogError, type Catalog, type PackVersion, type Provenance } from '@packs/catalog'
import { checkPack, PackError, packFields, parsePack, type Pack } from '@packs/codec/pack'
import { buildVersion, renumberPack } from './build/build-version.ts'
import { digestSource, hashBytes } from './build/digest-source.ts'
import { codecVersion } from './work/codec-version.ts'

/** One proof of a version and how it ended. */
export interface VersionCheck {
  readonly name: string
  readonly ok: boolean
  /** One sentence. */
  readonly message: string
}

/** What {@link verifyVersion} found. */
export interface Verification {
  readonly ok: boolean
  readonly yanked: boolean
  readonly checks: readonly VersionCheck[]
  /** Whether it was built again: only the codec that built it gives the same bytes. */
  readonly rebuild: 'same' | 'differs' | 'skipped'
  /** Codec that built it, as recorded. */
  readonly codecVersion: string
}

/**
 * Proves a version of the catalog: its document as `checkPack` does, that the row agrees with it, that its source is the
 * recorded one, and, where this codec built it, that building the source again gives the same document.
 *
 * @throws CatalogError `unknown_version`
 */
export async function verifyVersion(catalog: Catalog, slug: string, version: string): Promise<Verification> {
  const row = await catalog.packs.version(slug, version)
  const provenance = await catalog.packs.provenance(slug, version)
  if (row === undefined || provenance === undefined) {
    const hint = 'Check the slug and the number.'
    throw new CatalogError('unknown_version', `The catalog has no ${slug}@${version}`, hint)
  }
  const checks: VersionCheck[] = (await checkPack(row.document)).map(({ name, ok, message }) => {
    return { name, ok, message }
  })
  const pack = readPack(row.document)
  if (pack) checks.push(compareRow(row, pack))
  const bytes = await catalog.sources.get(provenance.source_sha256)
  checks.push(...checkSource(bytes, provenance))
  const isOurs = provenance.codec_version === codecVersion
  const rebuilt = isOurs && bytes && pack ? await rebuildPack(bytes, provenance, pack) : undefined
  if (rebuilt) checks.push(rebuilt)
  return {
    ok: checks.every(({ ok }) => ok),
    yanked: row.yanked,
    checks,
    rebuild: rebuilt === undefined ? 'skipped' : rebuilt.ok ? 'same' : 'differs',
    codecVersion: provenance.codec_version,
  }
}

function readPack(document: Uint8Array): Pack | undefined {
  try {
    return parsePack(document)
  } catch (error) {
    if (error instanceof PackError) return undefined
    throw error
  }
}

/** The columns that lists are made of. */
function compareRow(row: PackVersion, pack: Pack): VersionCheck {
  const columns = new Map<string, unknown>(Object.entries(row))
  const fields = packFields.filter((field) => columns.has(field) && columns.get(field) !== pack[field])
  const ok = fields.length === 0
  const message = ok
    ? 'The row of the catalog agrees with the document'
    : `The row of the catalog differs from the document in ${fields.join(', ')}`
  return { name: 'row', ok, message }
}

function checkSource(
  bytes: Uint8Array | undefined,
  provenance: Provenance & { readonly sourceDigest: string },
): VersionCheck[] {
  if (bytes === undefined) {
    return [{ name: 'source', ok: false, message: 'The catalog has the source no more' }]
  }
  const found = hashBytes(bytes)
  const isSource = found === provenance.source_sha256
  const isDigest = digestSource(bytes, provenance.options) === provenance.sourceDigest
  return [
    {
      name: 'source',
      ok: isSource,
      message: isSource
        ? 'The source is the recorded one'
        : `The source has another digest than recorded: ${found}`,
    },
    {
      name: 'source_digest',
      ok: isDigest,
      message: isDigest
        ? 'The digest of source and settings is the recorded one'
        : 'The digest of source and settings is not the recorded one',
    },
  ]
}

async function rebuildPack(bytes: Uint8Array, { path }: Provenance, pack: Pack): Promise<VersionCheck> {
  const name = 'rebuild'
  try {
    const built = await buildVersion({ bytes, path }, undefined)
    const again = renumberPack(built.pack, pack.version)
    const ok = packFields.every((field) => again[field] === pack[field])
    const message = ok
      ? `Building the source again with codec ${codecVersion} gives the same document`
      : `Building the source again with codec ${codecVersion} gives another document`
    return { name, ok, message }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    return { name, ok: false, message: `The source cannot be built again: ${reason.slice(0, 160)}` }
  }
}
