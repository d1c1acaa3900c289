import { hash } from 'node:crypto'
import {
  digestRows,
  serializeCanonical,
  serializePack,
  packFields,
  readSignatures,
  type PackSignature,
  fieldLimits,
} from '@packs/codec/internal'
import { type Pack, PackError, packSchema, parsePack } from '@packs/codec/pack'
import { z } from 'zod'
import { CatalogError, type CatalogErrorDetails, type DamagedVersion } from '../catalog-error.ts'
import type { PackTable, VersionTable, Position } from '../database/database.ts'
import {
  documentOnlyFields,
  type NewVersion,
  type PackSummary,
  type PackVersion,
  type StoredSummary,
  type VersionRecord,
  type SourceDefaultsRecord,
  type Provenance,
} from '../types.ts'

const VERSION = /^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})$/

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

interface VersionNumber {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** Names may be any text, as they were committed. */
const summarySchema: z.ZodType<AssumedSummary> = (packSchema as unknown as z.ZodObject)
  .omit(documentOnlyFields)
  .extend({
    title: z.string(),
    domain: z.string(),
    subdomain: z.string(),
    assumed: z.array(z.string()).exactOptional(),
  }) as unknown as z.ZodType<AssumedSummary>

/** A summary with what no document states. */
type AssumedSummary = StoredSummary & Pick<PackSummary, 'assumed'>

export const shownColumns = [
  'versions.sequence',
  'versions.major',
  'versions.minor',
  'versions.patch',
  'versions.summary',
  'versions.published_at',
  'versions.signatures',
  'versions.lead',
] as const

export const summaryColumns: readonly ['packs.slug', ...typeof shownColumns] = ['packs.slug', ...shownColumns]

type NamedRow = Pick<PackTable, 'slug'> & Pick<VersionTable, 'sequence' | 'major' | 'minor' | 'patch'>

export type SummaryRow = NamedRow & Pick<VersionTable, 'summary' | 'published_at' | 'signatures' | 'lead'>

/** Checks a version such as `1.2.3` and returns its numbers; `undefined` if it is not valid. */
export function parseVersionNumber(version: string): VersionNumber | undefined {
  const [, major, minor, patch] = VERSION.exec(version) ?? []
  if (major === undefined) return undefined
  return { major: Number(major), minor: Number(minor), patch: Number(patch) }
}

export function formatVersion({ major, minor, patch }: VersionNumber): string {
  return `${major}.${minor}.${patch}`
}

export function createVersionRow(
  version: NewVersion,
  pack: number,
  { sequence, updated_at }: Position,
  lead: string,
): VersionTable {
  const number = parseVersionNumber(version.pack.version)
  if (number === undefined) throw new TypeError(`Not a version: ${version.pack.version.slice(0, 80)}`)
  // Signatures are added once they are verified.
  const { signatures: _unverified, ...document } = version.pack
  return {
    sequence,
    pack,
    ...number,
    published_at: updated_at,
    source_digest: version.sourceDigest,
    parent: version.parent,
    provenance: JSON.stringify(version.provenance),
    source: version.provenance.source_sha256,
    purge: null,
    purged_at: null,
    purged_by: null,
    summary: JSON.stringify({ ...selectSummary(version.pack), assumed: version.assumed }),
    domain_slug: version.pack.domain_slug,
    difficulty: version.pack.difficulty,
    yanked_reason: null,
    signatures: null,
    lead,
    document: Buffer.from(serializePack(document)),
  }
}

/** @throws CatalogError `catalog_damaged`, which names the version */
export function readSummary(row: SummaryRow, { updated_at }: Pick<PackTable, 'updated_at'>): PackSummary {
  const { published_at, sequence } = row
  const signatures = parseSignatures(row)
  if (signatures === undefined) throw unreadableColumnError('signatures', sequence, { damaged: nameRow(row) })
  if (isTime(published_at) && isTime(updated_at))
    return {
      ...parseSummary(row),
      published_at,
      updated_at,
      signatures,
      // `pack verify` finds a damaged lead.
      ...(row.lead !== '' && { lead: row.lead }),
    }
  const column = isTime(published_at) ? 'packs.updated_at' : 'versions.published_at'
  throw damagedError(`${column} is not a time in the row of sequence ${sequence}`, { damaged: nameRow(row) })
}

/** Returns the signatures of a row; `undefined` if the column cannot be read. */
export function parseSignatures({
  signatures,
}: Pick<VersionTable, 'signatures'>): readonly PackSignature[] | undefined {
  if (signatures === null) return []
  try {
    return readSignatures(JSON.parse(signatures))
  } catch {
    return undefined
  }
}

export function isTime(text: string): boolean {
  return TIME.test(text)
}

/** @throws CatalogError `catalog_damaged`, which names the version */
export function readRecord(
  row: SummaryRow & Pick<VersionTable, 'yanked_reason'> & { readonly bytes: number },
  pack: Pick<PackTable, 'updated_at'>,
): VersionRecord {
  return {
    ...readSummary(row, pack),
    sequence: row.sequence,
    yanked: row.yanked_reason !== null,
    yanked_reason: row.yanked_reason,
    bytes: row.bytes,
  }
}

/**
 * Compares a document with its digest and its summary, so that none that another program changed
 * is ever shown. The signatures are those of the row.
 * @throws CatalogError `catalog_damaged`, which names the version
 */
export function openDocument(version: PackVersion): Pack {
  const { slug, version: number, sequence, signatures } = version
  const fail = (what: string, cause?: unknown): Error =>
    damagedError(`versions.document ${what} in the row of sequence ${sequence}`, {
      cause,
      damaged: { slug, version: number },
    })
  let pack: Pack
  try {
    const { signatures: _none, ...document } = parsePack(version.document)
    pack = signatures.length === 0 ? document : { ...document, signatures }
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    throw fail('cannot be read', error)
  }
  if (!hasDigests(pack)) throw fail('does not match its digest')
  const differing = listSummaryDifferences(pack, version)
  if (differing.length === 0) return pack
  throw fail(`differs from versions.summary (${differing.join(', ')})`)
}

/** Whether a document has its digest, and the links and the patch of the digests that it covers. */
export function hasDigests(pack: Pack): boolean {
  const { links, links_sha256, patch, patch_sha256 } = pack
  const isSame = (rows: typeof links | typeof patch, digest: string | undefined): boolean =>
    (rows && digestRows(rows)) === digest
  const isWhole = hash('sha256', serializeCanonical(pack)) === pack.pack_digest
  return isWhole && isSame(links, links_sha256) && isSame(patch, patch_sha256)
}

/** Splits rows into those that can be read and the names of the damaged ones. */
export function separateDamaged<Row, Read>(
  rows: readonly Row[],
  read: (row: Row) => Read,
): { readonly read: readonly Read[]; readonly damaged: readonly DamagedVersion[] } {
  const damaged: DamagedVersion[] = []
  const sound = rows.flatMap((row) => {
    try {
      return [read(row)]
    } catch (error) {
      if (!(error instanceof CatalogError) || error.damaged === undefined) throw error
      damaged.push(error.damaged)
      return []
    }
  })
  return { read: sound, damaged }
}

/** Names the column that cannot be read, never its value. */
export function unreadableColumnError(
  column: 'summary' | 'provenance' | 'signatures',
  sequence: number,
  details: CatalogErrorDetails,
): CatalogError {
  return damagedError(`versions.${column} cannot be read in the row of sequence ${sequence}`, details)
}

export function danglingReferenceError(
  column: 'head' | 'latest',
  { slug }: Pick<PackTable, 'slug'>,
): CatalogError {
  return damagedError(`packs.${column} of ${slug.slice(0, 80)} refers to a missing version`, {
    damaged: { slug: slug.slice(0, fieldLimits.slug), version: null },
  })
}

function nameRow(row: NamedRow): DamagedVersion {
  return { slug: row.slug.slice(0, fieldLimits.slug), version: formatVersion(row) }
}

/** A summary of another version is damage too. */
function parseSummary(row: SummaryRow): AssumedSummary {
  const damaged = nameRow(row)
  let cause: unknown
  try {
    const data = summarySchema.parse(JSON.parse(row.summary))
    if (data.slug === row.slug && data.version === damaged.version) return data
  } catch (error) {
    cause = error
  }
  throw unreadableColumnError('summary', row.sequence, { cause, damaged })
}

/** Creates the error for a row with values that this program never writes. */
export function damagedError(what: string, details?: CatalogErrorDetails): CatalogError {
  return new CatalogError(
    'catalog_damaged',
    `The catalog is damaged: ${what}`,
    'Another program has changed the database. Restore a backup.',
    details,
  )
}

const summaryFields = packFields.filter((field) => !(field in documentOnlyFields))

/** A field that the document lacks is absent. */
function selectSummary(pack: Pack): StoredSummary {
  const fields = summaryFields.filter((field) => pack[field] !== undefined)
  return Object.fromEntries(fields.map((field) => [field, pack[field]])) as unknown as StoredSummary
}

export function listSummaryDifferences(pack: Pack, summary: object): string[] {
  const found = new Map<string, unknown>(Object.entries(summary))
  return summaryFields.filter((field) => JSON.stringify(pack[field]) !== JSON.stringify(found.get(field)))
}

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** Fields that a later version has added are kept, because the source digest covers them. */
const defaultsSchema = z.looseObject({
  slug: z.string().exactOptional(),
  title: z.string().exactOptional(),
  domain: z.string().exactOptional(),
  subdomain: z.string().exactOptional(),
  difficulty: z.string().exactOptional(),
  compression: z.string().exactOptional(),
  budget: z.number().exactOptional(),
  worthHeader: z.strictObject({ percent: z.number(), tokens: z.number() }).exactOptional(),
  minify: z
    .strictObject({ dialect: z.array(z.string()).exactOptional(), off: z.array(z.string()).exactOptional() })
    .exactOptional(),
  url: z.string().exactOptional(),
  tables: sha256.exactOptional(),
} satisfies Record<keyof SourceDefaultsRecord, z.ZodType>)

const provenanceSchema: z.ZodType<Provenance> = z.object({
  source_sha256: z.string(),
  given: defaultsSchema.exactOptional(),
  path: z.string(),
  git_commit: z.string().nullable(),
  codec_version: z.string(),
  parent_digest: z.string().nullable(),
  job: z.string().nullable(),
  reasons: z.array(z.string()),
  options: z.object({ scheme: z.string(), code: z.boolean(), tokenizer: z.string() }),
})

/**
 * Ignores unknown fields, which a later version of this program may have written.
 * @throws CatalogError `catalog_damaged`
 */
export function parseProvenance(row: Pick<VersionTable, 'provenance' | 'sequence'>): Provenance {
  try {
    return provenanceSchema.parse(JSON.parse(row.provenance))
  } catch (error) {
    throw unreadableColumnError('provenance', row.sequence, { cause: error })
  }
}

/** What a purged version has instead of text, without its document. */
export const purgedColumns: Readonly<Partial<VersionTable>> = {
  source_digest: '',
  provenance: JSON.stringify({
    source_sha256: '',
    path: '-',
    git_commit: null,
    codec_version: '',
    parent_digest: null,
    job: null,
    reasons: [],
    options: { scheme: '', code: false, tokenizer: '' },
  } satisfies Provenance),
  summary: '',
  domain_slug: '',
  difficulty: '',
  signatures: null,
  lead: '',
}
