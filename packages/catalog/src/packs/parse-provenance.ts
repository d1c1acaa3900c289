import { z } from 'zod'
import type { Provenance } from '../types.ts'

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

/** Reads the provenance of a row; later versions of this program may have written more than this one knows. */
export function parseProvenance(json: string): Provenance {
  return provenance.parse(JSON.parse(json))
}
