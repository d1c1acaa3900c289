import { CatalogError, type Catalog, type Provenance, type VersionAudit } from '@packs/catalog'
import { checkPack, PackError, packFields, parsePack, type Pack } from '@packs/codec/pack'
import { buildHere, type BuildVersion } from './build-thread/create-build-thread.ts'
import { codecVersion, renumberPack } from './version-builder/renumber-pack.ts'
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
  /** Result of building the version again. Only the codec version that built it gives the same bytes. */
  readonly rebuild: 'same' | 'differs' | 'skipped'
  /** Why the version was not built again, in a few words; `null` if it was. */
  readonly skipped: string | null
  /** Recorded codec version; `null` if it cannot be read. */
  readonly codecVersion: string | null
}

export interface VerifyOptions {
  /** Whether to build the version again if this codec version built it. @default true */
  readonly rebuild?: boolean
  /** Builds the version again. @default in this thread */
  readonly build?: BuildVersion
}

/**
 * Verifies a version of the catalog. Checks the document with `checkPack`, the catalog columns derived from it, and the
 * digest of the source. If the version was built by this codec version, also builds it again and compares the documents.
 *
 * @throws CatalogError `unknown_version`
 */
export async function verifyVersion(
  catalog: Catalog,
  slug: string,
  version: string,
  { rebuild = true, build = buildHere }: VerifyOptions = {},
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
  const pack = readPack(document)
  checks.push(checkRows(audit))
  const bytes = provenance && (await catalog.sources.get(provenance.source_sha256))
  if (provenance) checks.push(...checkSource(bytes, provenance, audit.sourceDigest))
  const skipped = rebuild ? findSkipReason(provenance, bytes, pack) : 'this was not requested'
  const rebuilt = skipped === null ? await rebuildPack(build, bytes!, provenance!, pack!) : undefined
  if (rebuilt) checks.push(rebuilt)
  return {
    ok: checks.every(({ ok }) => ok),
    yanked,
    checks,
    rebuild: rebuilt === undefined ? 'skipped' : rebuilt.ok ? 'same' : 'differs',
    skipped,
    codecVersion: provenance?.codec_version ?? null,
  }
}

function findSkipReason(
  provenance: Provenance | undefined,
  bytes: Uint8Array | undefined,
  pack: Pack | undefined,
): string | null {
  if (provenance === undefined) return 'its provenance cannot be read'
  if (bytes === undefined) return 'its source is gone'
  if (pack === undefined) return 'its document cannot be read'
  const { codec_version: built } = provenance
  return built === codecVersion ? null : `it was built by codec ${built}, and this is codec ${codecVersion}`
}

function readPack(document: Uint8Array): Pack | undefined {
  try {
    return parsePack(document)
  } catch (error) {
    if (error instanceof PackError) return undefined
    throw error
  }
}

function checkRows({ damaged, sequence }: VersionAudit): VersionCheck {
  const name = 'row'
  if (damaged.length === 0) {
    return { name, ok: true, message: 'The catalog rows agree with the document and with each other' }
  }
  return {
    name,
    ok: false,
    message: `The catalog rows differ from what was committed: ${damaged.join(', ')} (sequence ${sequence})`,
    hint: 'Another program has changed the database: restore a backup.',
  }
}

function checkSource(
  bytes: Uint8Array | undefined,
  provenance: Provenance,
  sourceDigest: string,
): VersionCheck[] {
  if (bytes === undefined) {
    return [{ name: 'source', ok: false, message: 'The source is no longer in the catalog' }]
  }
  const found = hashBytes(bytes)
  const isSource = found === provenance.source_sha256
  const isDigest = digestSource(bytes, provenance.options) === sourceDigest
  return [
    {
      name: 'source',
      ok: isSource,
      message: isSource
        ? 'The source matches the recorded digest'
        : `The digest of the source differs from the recorded one: ${found}`,
    },
    {
      name: 'source_digest',
      ok: isDigest,
      message: isDigest
        ? 'The digest of source and settings matches the recorded one'
        : 'The digest of source and settings differs from the recorded one',
    },
  ]
}

async function rebuildPack(
  build: BuildVersion,
  bytes: Uint8Array,
  { path }: Provenance,
  pack: Pack,
): Promise<VersionCheck> {
  const name = 'rebuild'
  try {
    const built = await build({ bytes, path }, undefined)
    const again = renumberPack(built.pack, pack.version)
    const ok = packFields.every((field) => again[field] === pack[field])
    const message = ok
      ? `Building the source again with codec ${codecVersion} gives the same document`
      : `Building the source again with codec ${codecVersion} gives a different document`
    return { name, ok, message }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    return { name, ok: false, message: `Building the source again failed: ${reason.slice(0, 160)}` }
  }
}
