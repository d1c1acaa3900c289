import type { Catalog, JobRecord, NewJob, UnfinishedJob } from '@packs/catalog'
import { deriveJobId, deriveMemberId, deriveReleaseId, type PublishJob } from './job-data.ts'

/** A job of the catalog. */
export interface AcceptedJob {
  readonly id: string
  /** Whether it is the unfinished job of an equal request, which was accepted before. */
  readonly isJoined: boolean
}

/**
 * Accepts the publish of one source, after all publishes of the pack so far.
 * @param owner the process that runs it; `null` for a queue
 * @throws CatalogError
 */
export async function acceptPublish(
  { jobs }: Catalog,
  job: PublishJob,
  owner: string | null,
): Promise<AcceptedJob> {
  let accepted: AcceptedJob | undefined
  await jobs.accept([job.slug], (pending) => {
    const last = pending.get(job.slug)
    const isJoined = last !== undefined && last.release === null && isEqual(job, last)
    accepted = { id: isJoined ? last.id : deriveJobId(job, last?.id), isJoined }
    return isJoined ? [] : [createRow(accepted.id, job.slug, owner, { data: JSON.stringify(job) })]
  })
  return accepted!
}

/**
 * Accepts a release and its members together.
 * @param suffix added to its id, if each release is to have an id of its own
 * @throws CatalogError
 */
export async function acceptRelease(
  { jobs }: Catalog,
  name: string,
  members: readonly PublishJob[],
  owner: string | null,
  suffix = '',
): Promise<AcceptedJob> {
  let accepted: AcceptedJob | undefined
  await jobs.accept(
    members.map(({ slug }) => slug),
    (pending) => {
      const release = pending.get(members[0]!.slug)?.release ?? null
      const isJoined =
        release !== null &&
        members.every((job) => {
          const last = pending.get(job.slug)
          return last?.release === release && isEqual(job, last)
        })
      const ids = members.map((job) => deriveJobId(job, pending.get(job.slug)?.id))
      const id = isJoined ? release : `${deriveReleaseId(name, ids)}${suffix}`
      accepted = { id, isJoined }
      if (isJoined) return []
      const rows = members.map((job) =>
        createRow(deriveMemberId(id, job), job.slug, owner, { release: id, data: JSON.stringify(job) }),
      )
      return [createRow(id, name, owner, {}), ...rows]
    },
  )
  return accepted!
}

function isEqual(job: PublishJob, { data }: UnfinishedJob): boolean {
  const last = JSON.parse(data!) as Partial<PublishJob>
  return last.source_digest === job.source_digest && last.bump === job.bump && last.rebuild === job.rebuild
}

const RUNNING = { state: 'active', attempts: 1 } as const
const WAITING = { state: 'waiting', attempts: 0 } as const

function createRow(
  id: string,
  slug: string,
  owner: string | null,
  { release = null, data = null }: Partial<Pick<JobRecord, 'release' | 'data'>>,
): NewJob {
  return { id, slug, ...(owner === null ? WAITING : RUNNING), owner, release, data }
}
