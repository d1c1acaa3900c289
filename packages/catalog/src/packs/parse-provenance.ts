import { z } from 'zod'
import type { VersionTable } from '../database/schema.ts'
import type { SourceDefaultsRecord, Provenance } from '../types.ts'
import { unreadableColumnError } from './version-row.ts'

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
