import { z } from 'zod'
import type { VersionTable } from '../database/schema.ts'
import type { Provenance } from '../types.ts'
import { refuseDamage } from './refuse-damage.ts'

const provenance: z.ZodType<Provenance> = z.object({
  source_sha256: z.string(),
  path: z.string(),
  git_commit: z.string().nullable(),
  codec_version: z.string(),
  parent_digest: z.string().nullable(),
  job: z.string().nullable(),
  reasons: z.array(z.string()),
  options: z.object({ scheme: z.string(), code: z.boolean(), tokenizer: z.string() }),
})

/**
 * Reads the provenance of a row; later versions of this program may have written more than this one knows.
 *
 * @throws CatalogError `catalog_damaged`
 */
export function parseProvenance(row: Pick<VersionTable, 'provenance' | 'sequence'>): Provenance {
  try {
    return provenance.parse(JSON.parse(row.provenance))
  } catch (error) {
    throw refuseDamage('provenance', row.sequence, error)
  }
}
