import { serializePack } from '@packs/codec/pack'
import type { VersionTable } from '../database/schema.ts'
import type { NewVersion } from '../types.ts'
import type { Position } from './change-catalog.ts'
import { serializeSummary } from './pack-rows.ts'
import { parseVersion } from './version-number.ts'

/** The row of a version as it is committed. */
export function createVersionRow(
  version: NewVersion,
  pack: number,
  { sequence, updated_at }: Position,
): VersionTable {
  const number = parseVersion(version.pack.version)
  if (number === undefined) throw new TypeError(`No version: ${version.pack.version.slice(0, 80)}`)
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
