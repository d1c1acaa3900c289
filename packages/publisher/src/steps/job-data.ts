import { createHash } from 'node:crypto'
import type { Actor, SourceDefaultsRecord } from '@packs/catalog'
import { fieldLimits, MAX_URL } from '@packs/codec/internal'
import { z } from 'zod'
import { PublishError } from '../publish-error.ts'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const version = z.string().regex(/^\d{1,9}\.\d{1,9}\.\d{1,9}$/)

/** A publish as the catalog records it: references to texts, never the texts. */
export interface PublishJob {
  readonly slug: string
  /** Key of the source bytes in the catalog. */
  readonly source: string
  readonly source_digest: string
  /** From outside of the file. The source digest and the job's id cover them. */
  readonly given?: SourceDefaultsRecord
  readonly path: string
  readonly git_commit: string | null
  readonly bump: 'patch' | 'minor' | 'major' | null
  readonly rebuild: boolean
  /** The newest version when the job was created. */
  readonly parent: string | null
  /** Who published it. It is not part of the job's id. */
  readonly actor: Actor
}

const actor = z.object({
  kind: z.enum(['operator', 'account', 'system']),
  id: z.string().max(500).nullable(),
})

const names = z.array(z.string().max(20)).max(20)

/** Strict, because a worker that overlooked a value would publish something else. */
const given = z.strictObject({
  slug: z.string().max(fieldLimits.slug).exactOptional(),
  title: z
    .string()
    .max(2 * fieldLimits.title)
    .exactOptional(),
  domain: z
    .string()
    .max(2 * fieldLimits.name)
    .exactOptional(),
  subdomain: z
    .string()
    .max(2 * fieldLimits.name)
    .exactOptional(),
  difficulty: z.string().max(20).exactOptional(),
  compression: z.string().max(20).exactOptional(),
  budget: z.int().min(0).exactOptional(),
  worthHeader: z.strictObject({ percent: z.number(), tokens: z.int() }).exactOptional(),
  minify: z.strictObject({ dialect: names.exactOptional(), off: names.exactOptional() }).exactOptional(),
  url: z.string().max(MAX_URL).exactOptional(),
  tables: sha256.exactOptional(),
} satisfies Record<keyof SourceDefaultsRecord, z.ZodType>)

const publishShape = {
  slug: z.string().max(fieldLimits.slug),
  source: sha256,
  source_digest: sha256,
  given: given.exactOptional(),
  path: z.string().max(4096),
  git_commit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .nullable(),
  bump: z.enum(['patch', 'minor', 'major']).nullable(),
  rebuild: z.boolean(),
  parent: version.nullable(),
  actor,
} satisfies Record<keyof PublishJob, z.ZodType>

export const publishJobSchema: z.ZodType<PublishJob> = z.object(publishShape)

/** @throws PublishError `invalid_job` */
export function parseJobData(data: string): PublishJob {
  const parsed = publishJobSchema.safeParse(JSON.parse(data))
  if (parsed.success) return parsed.data
  const fields = parsed.error.issues.map(({ path }) => path.join('.'))
  throw new PublishError(
    'invalid_job',
    `This version cannot read the job data, field ${[...new Set(fields)].join(', ').slice(0, 80)}`,
    'Run workers and producers of the same version, then publish again.',
  )
}

/**
 * What it follows is part of its id, so that a roll-back to an older source is a different job.
 * @param after the newest version, or the unfinished job of the pack that was accepted last
 */
export function deriveJobId(job: PublishJob, after: string | null = job.parent): string {
  const { slug, source_digest, bump, rebuild } = job
  return `${slug}-${hash([slug, source_digest, after, bump, rebuild])}`
}

export function deriveReleaseId(name: string, members: readonly string[]): string {
  return `release-${hash([name, ...members.toSorted()])}`
}

export function deriveMemberId(release: string, job: PublishJob): string {
  return `${job.slug}-${hash([release, deriveJobId(job)])}`
}

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
