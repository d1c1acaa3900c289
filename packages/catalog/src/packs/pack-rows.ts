import type { Pack } from '@packs/codec/pack'
import type { PackTable, VersionTable } from '../database/schema.ts'
import type { PackSummary, PackVersion } from '../types.ts'
import { refuseDamage } from './refuse-damage.ts'

/** The part of a summary that a version keeps; the pack adds when it changed. */
type StoredSummary = Omit<PackSummary, 'published_at' | 'updated_at'>

/** Everything of a document but its texts, as JSON. */
export function serializeSummary(pack: Pack): string {
  const { content: _content, rosetta: _rosetta, preview_content: _preview, ...summary } = pack
  return JSON.stringify(summary satisfies StoredSummary)
}

/**
 * Rows are this program's own, and lists parse hundreds: their shape is not checked again.
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

function parseSummary({ summary, sequence }: Pick<VersionTable, 'summary' | 'sequence'>): StoredSummary {
  try {
    return JSON.parse(summary) as StoredSummary
  } catch (error) {
    throw refuseDamage('summary', sequence, error)
  }
}

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
