import { createHash } from 'node:crypto'
import { z } from 'zod'
import { PublishError } from '../publish-error.ts'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const version = z.string().regex(/^\d{1,9}\.\d{1,9}\.\d{1,9}$/)

/** A publish as a queue carries it: references, never text. */
export interface PublishJob {
  readonly slug: string
  /** Key of the source's bytes in the catalog. */
  readonly source: string
  readonly source_digest: string
  readonly path: string
  readonly git_commit: string | null
  readonly bump: 'patch' | 'minor' | 'major' | null
  readonly rebuild: boolean
  /** The newest version when the job was made. */
  readonly parent: string | null
}

/** A publish, from source to commit. */
export type SingleData = { readonly kind: 'publish' } & PublishJob

/** The part of a release that builds one source. */
export type MemberData = {
  readonly kind: 'member'
  /** The job that commits it. */
  readonly release: string
} & PublishJob

/** The part of a release that commits what its members built. */
export interface ReleaseData {
  readonly kind: 'release'
  /** Name of the release, where others have the slug of a pack. */
  readonly slug: string
}

export type JobData = SingleData | MemberData | ReleaseData

const publishShape = {
  slug: z.string().max(100),
  source: sha256,
  source_digest: sha256,
  path: z.string().max(4096),
  git_commit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .nullable(),
  bump: z.enum(['patch', 'minor', 'major']).nullable(),
  rebuild: z.boolean(),
  parent: version.nullable(),
} satisfies Record<keyof PublishJob, z.ZodType>

export const publishJobSchema: z.ZodType<PublishJob> = z.object(publishShape)

const jobSchema: z.ZodType<JobData> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('publish'), ...publishShape }),
  z.object({ kind: z.literal('member'), release: z.string().max(200), ...publishShape }),
  z.object({ kind: z.literal('release'), slug: z.string().max(200) }),
])

/** Reads job data. @throws PublishError `invalid_job` */
export function parseJobData(data: unknown): JobData {
  const parsed = jobSchema.safeParse(data)
  if (parsed.success) return parsed.data
  const fields = parsed.error.issues.map(({ path }) => path.join('.') || 'kind')
  throw new PublishError(
    'invalid_job',
    `The data of the job is none that this version knows: ${[...new Set(fields)].join(', ').slice(0, 80)}`,
    'Run workers and producers of one version.',
  )
}

/**
 * Names a job after what it does, so that asking twice gives one job; the parent is part of it, so that a roll-back to an
 * older source is another.
 */
export function deriveJobId(job: PublishJob): string {
  const { slug, source_digest, parent, bump, rebuild } = job
  return `${slug}-${hash([slug, source_digest, parent, bump, rebuild])}`
}

/** Names a release after its name and members, and its members after it. */
export function deriveReleaseId(name: string, jobs: readonly PublishJob[]): string {
  const members = jobs.map((job) => deriveJobId(job)).toSorted()
  return `release-${hash([name, ...members])}`
}

export function deriveMemberId(release: string, job: PublishJob): string {
  return `${job.slug}-${hash([release, deriveJobId(job)])}`
}

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
