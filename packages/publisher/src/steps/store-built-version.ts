import type { Catalog } from '@packs/catalog'
import { packSchema } from '@packs/codec/pack'
import { z } from 'zod'
import { PublishError } from '../publish-error.ts'
import type { PublishResult } from '../runner.ts'
import { publishJobSchema } from './job-data.ts'
import type { Preparation, PreparedVersion } from './prepare-version.ts'

/** Passed from a member of a release to the job that commits: its result, or the digest of its stored version. */
export type StoredVersion = { readonly result: PublishResult } | { readonly built: string }

/**
 * Stores the built version of a member in the catalog, by digest, until the release commits it.
 *
 * As a return value of the job it would put megabytes into Redis, and another machine may commit the release. Stored by
 * digest, a member that runs twice leaves one copy.
 */
export async function storeBuiltVersion(catalog: Catalog, preparation: Preparation): Promise<StoredVersion> {
  if ('result' in preparation) return preparation
  const { messages: _messages, ...prepared } = preparation.prepared
  return { built: await catalog.sources.put(Buffer.from(JSON.stringify(prepared))) }
}

/** Loads a version stored by {@link storeBuiltVersion}. @throws PublishError `source_missing`, `invalid_job` */
export async function loadBuiltVersion(catalog: Catalog, stored: unknown): Promise<Preparation> {
  const reference = storedVersionSchema.parse(stored)
  if ('result' in reference) return { result: reference.result as unknown as PublishResult }
  const bytes = await catalog.sources.get(reference.built)
  if (bytes === undefined) {
    throw new PublishError(
      'source_missing',
      `The catalog has no built version ${reference.built.slice(0, 12)}`,
      'Point all workers at the same database, then release again.',
    )
  }
  const prepared = preparedVersionSchema.parse(JSON.parse(Buffer.from(bytes).toString()))
  return { prepared: { ...prepared, messages: [] } }
}

const storedVersionSchema = z.union([
  z.object({ built: z.string().regex(/^[0-9a-f]{64}$/) }),
  z.object({ result: z.object({ slug: z.string() }).loose() }),
])

const preparedVersionSchema: z.ZodType<Omit<PreparedVersion, 'messages'>> = z.object({
  job: publishJobSchema,
  jobId: z.string(),
  pack: packSchema,
  settings: z.object({ scheme: z.string(), code: z.boolean(), tokenizer: z.string() }),
  decision: z.object({
    version: z.string(),
    level: z.enum(['patch', 'minor', 'major']).nullable(),
    reasons: z.array(z.string()),
  }),
  parent: z.object({ version: z.string(), digest: z.string() }).nullable(),
})
