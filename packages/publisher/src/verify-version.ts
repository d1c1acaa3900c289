import { CatalogError, type Catalog, type Provenance, type VersionAudit } from '@packs/catalog'
import { checkPack, digestPack } from '@packs/codec/pack'
import { findWrongSignature } from '@packs/codec/verify'
import { digestSource, hashBytes } from './version-builder/read-source.ts'

/** One check of a version and its result. */
export interface VersionCheck {
  readonly name: string
  readonly ok: boolean
  /** One sentence. */
  readonly message: string
  /** What to do, unless the message says it. */
  readonly hint?: string
}

/** Result of {@link verifyVersion}. */
export interface Verification {
  readonly ok: boolean
  readonly yanked: boolean
  readonly checks: readonly VersionCheck[]
  /** Recorded codec version; `null` if it cannot be read. */
  readonly codecVersion: string | null
}

export interface VerifyOptions {
  /** Whether to check what the search index has of the version. @default true */
  readonly searchIndex?: boolean
}

/**
 * Verifies a version of the catalog. Checks the document with `checkPack`, the catalog columns
 * derived from it, what the search index has of it, and the digest of the source.
 *
 * @throws CatalogError `unknown_version`
 */
export async function verifyVersion(
  catalog: Catalog,
  slug: string,
  version: string,
  { searchIndex = true }: VerifyOptions = {},
): Promise<Verification> {
  const audit = await catalog.packs.audit(slug, version)
  if (audit === undefined) {
    const hint = 'Check the slug and the version number.'
    throw new CatalogError('unknown_version', `The catalog has no ${slug}@${version}`, hint)
  }
  const { document, provenance, yanked } = audit
  const checks: VersionCheck[] = (await checkPack(document)).map(({ name, ok, message }) => {
    return { name, ok, message }
  })
  checks.push(checkRows(audit))
  const signatures = await checkSignatures(audit)
  if (signatures) checks.push(signatures)
  if (searchIndex) checks.push(checkIndex(await auditIndex(catalog, slug, version)))
  const stored = provenance && (await readStored(catalog, provenance))
  if (stored) checks.push(...checkSource(stored, provenance, audit.sourceDigest))
  return {
    ok: checks.every(({ ok }) => ok),
    yanked,
    checks,
    codecVersion: provenance?.codec_version ?? null,
  }
}

/** What a version was built from; `undefined` if it is no longer in the catalog. */
interface Stored {
  readonly bytes: Uint8Array | undefined
  readonly tables: Uint8Array | undefined
}

async function readStored({ sources }: Catalog, { source_sha256, given }: Provenance): Promise<Stored> {
  const tables = given?.tables === undefined ? undefined : await sources.get(given.tables)
  return { bytes: await sources.get(source_sha256), tables }
}

const RESTORE_HINT = 'Another program has changed the database: restore a backup.'

function checkRows({ damaged, sequence }: VersionAudit): VersionCheck {
  const name = 'row'
  if (damaged.length === 0)
    return { name, ok: true, message: 'The catalog rows agree with the document and with each other' }
  const message = `The catalog rows differ from what was committed: ${damaged.join(', ')} (sequence ${sequence})`
  return { name, ok: false, message, hint: RESTORE_HINT }
}

/** Returns `undefined` for a version that is unsigned. */
async function checkSignatures({
  signatures,
  sequence,
  pack,
}: VersionAudit): Promise<VersionCheck | undefined> {
  const name = 'signatures'
  const hint = RESTORE_HINT
  if (signatures === undefined)
    return { name, ok: false, message: `The signatures cannot be read (sequence ${sequence})`, hint }
  if (pack === undefined || signatures.length === 0) return undefined
  const wrong = await findWrongSignature({ pack_digest: digestPack(pack), signatures })
  if (wrong === undefined) {
    const signers = signatures.map(({ key_id }) => key_id).join(', ')
    return { name, ok: true, message: `Signed by ${signers}` }
  }
  return { name, ok: false, message: `The signature of ${wrong.key_id} is not one of this version`, hint }
}

/**
 * Returns the names of what differs; the database's own message if tables of the index cannot be
 * read.
 */
async function auditIndex({ search }: Catalog, slug: string, version: string): Promise<readonly string[]> {
  try {
    return await search.audit(slug, version)
  } catch (error) {
    const { status, reason = 'unknown' } = await search.state()
    if (status === 'damaged') return [reason]
    throw error
  }
}

/** @param damaged what differs, as `catalog.search` names it */
export function checkIndex(damaged: readonly string[]): VersionCheck {
  const name = 'search_index'
  if (damaged.length === 0) return { name, ok: true, message: 'The search index agrees with the document' }
  const message = `The search index differs from what its packs give: ${damaged.join(', ')}`
  return { name, ok: false, message, hint: 'Run `pack index --rebuild`, which makes the index again.' }
}

function checkSource(stored: Stored, provenance: Provenance, sourceDigest: string): VersionCheck[] {
  const { bytes, tables } = stored
  const { source_sha256, options, given } = provenance
  const checks = [checkStored(bytes, source_sha256, 'source', 'source')]
  if (given?.tables !== undefined)
    checks.push(checkStored(tables, given.tables, 'tables', 'glossary and map of front matter keys'))
  if (bytes === undefined) return checks
  const ok = digestSource(bytes, options, given) === sourceDigest
  const message = `The digest of source and settings ${ok ? 'matches' : 'differs from'} the recorded one`
  return [...checks, { name: 'source_digest', ok, message }]
}

function checkStored(
  bytes: Uint8Array | undefined,
  digest: string,
  name: string,
  what: string,
): VersionCheck {
  if (bytes === undefined) return { name, ok: false, message: `The ${what} is no longer in the catalog` }
  const found = hashBytes(bytes)
  if (found === digest) return { name, ok: true, message: `The ${what} matches the recorded digest` }
  return { name, ok: false, message: `The digest of the ${what} differs from the recorded one: ${found}` }
}
