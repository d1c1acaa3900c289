import { type Pack, serializePack } from '@packs/codec/pack'
import { z } from 'zod'
import { CatalogError } from '../catalog-error.ts'
import type { PackTable, VersionTable } from '../database/schema.ts'
import type { NewVersion, PackSummary, PackVersion, Provenance } from '../types.ts'
import type { Position } from './change-catalog.ts'

const VERSION = /^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})$/

const provenanceSchema: z.ZodType<Provenance> = z.object({
  source_sha256: z.string(),
  path: z.string(),
  git_commit: z.string().nullable(),
  codec_version: z.string(),
  parent_digest: z.string().nullable(),
  job: z.string().nullable(),
  reasons: z.array(z.string()),
  options: z.object({ scheme: z.string(), code: z.boolean(), tokenizer: z.string() }),
})

/** A version as three numbers, which databases can sort. */
interface VersionNumber {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** The part of a summary stored with a version. The time of the last change comes from the pack. */
type StoredSummary = Omit<PackSummary, 'published_at' | 'updated_at'>

/** Checks a version such as `1.2.3` and returns its numbers; `undefined` if it is not valid. */
export function parseVersionNumber(version: string): VersionNumber | undefined {
  const [, major, minor, patch] = VERSION.exec(version) ?? []
  if (major === undefined) return undefined
  return { major: Number(major), minor: Number(minor), patch: Number(patch) }
}

export function formatVersion({ major, minor, patch }: VersionNumber): string {
  return `${major}.${minor}.${patch}`
}

/** Creates the row of a version to commit. */
export function createVersionRow(
  version: NewVersion,
  pack: number,
  { sequence, updated_at }: Position,
): VersionTable {
  const number = parseVersionNumber(version.pack.version)
  if (number === undefined) throw new TypeError(`Not a version: ${version.pack.version.slice(0, 80)}`)
  return {
    sequence,
    pack,
    ...number,
    published_at: updated_at,
    source_digest: version.sourceDigest,
    parent: version.parent,
    provenance: JSON.stringify(version.provenance),
    summary: serializeSummary(version.pack),
    domain_slug: version.pack.domain_slug,
    difficulty: version.pack.difficulty,
    yanked_reason: null,
    document: Buffer.from(serializePack(version.pack)),
  }
}

/**
 * Reads the summary of a row. Its shape is not checked: only this program writes rows, and a list parses hundreds.
 *
 * @throws CatalogError `catalog_damaged`
 */
export function readSummary(
  version: Pick<VersionTable, 'summary' | 'published_at' | 'sequence'>,
  { updated_at }: Pick<PackTable, 'updated_at'>,
): PackSummary {
  const summary = parseSummary(version)
  return { ...summary, published_at: version.published_at, updated_at }
}

/** Reads a version with its document. @throws CatalogError `catalog_damaged` */
export function readVersion(
  version: Pick<VersionTable, 'summary' | 'published_at' | 'sequence' | 'yanked_reason' | 'document'>,
  pack: Pick<PackTable, 'updated_at'>,
): PackVersion {
  return {
    ...readSummary(version, pack),
    document: version.document,
    sequence: version.sequence,
    yanked: version.yanked_reason !== null,
    yanked_reason: version.yanked_reason,
  }
}

/**
 * Reads the provenance of a row. Unknown fields, which a later version of this program may have written, are ignored.
 *
 * @throws CatalogError `catalog_damaged`
 */
export function parseProvenance(row: Pick<VersionTable, 'provenance' | 'sequence'>): Provenance {
  try {
    return provenanceSchema.parse(JSON.parse(row.provenance))
  } catch (error) {
    throw unreadableColumnError('provenance', row.sequence, error)
  }
}

/** Names the column that cannot be read, never its value. */
function unreadableColumnError(
  column: 'summary' | 'provenance',
  sequence: number,
  cause: unknown,
): CatalogError {
  return damagedError(`versions.${column} cannot be read in the row of sequence ${sequence}`, cause)
}

/** Names the column of a pack that refers to a missing version. */
export function danglingReferenceError(
  column: 'head' | 'latest',
  { slug }: Pick<PackTable, 'slug'>,
): CatalogError {
  return damagedError(`packs.${column} of ${slug.slice(0, 80)} refers to a missing version`)
}

/** Serializes all fields of a document except its texts. */
function serializeSummary(pack: Pack): string {
  const { content: _content, rosetta: _rosetta, preview_content: _preview, ...summary } = pack
  return JSON.stringify(summary satisfies StoredSummary)
}

function parseSummary({ summary, sequence }: Pick<VersionTable, 'summary' | 'sequence'>): StoredSummary {
  try {
    return JSON.parse(summary) as StoredSummary
  } catch (error) {
    throw unreadableColumnError('summary', sequence, error)
  }
}

function damagedError(what: string, cause?: unknown): CatalogError {
  return new CatalogError(
    'catalog_damaged',
    `The catalog is damaged: ${what}`,
    'Another program has changed the database. Restore a backup.',
    cause === undefined ? undefined : { cause },
  )
}
