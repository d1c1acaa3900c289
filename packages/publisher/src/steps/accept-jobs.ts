import type { Catalog, JobRecord, NewJob, UnfinishedJob, Actor, SourceDefaultsRecord } from '@packs/catalog'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

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

/**
 * Milliseconds without a sign of life after which a job counts as abandoned. If that is wrong, as
 * with a wrong clock, its commit is still refused once a later one has taken effect.
 */
const ABANDONED_AFTER_MS = 2 * 60 * 1000

export function isAbandoned(
  { owner, updated_at }: Pick<JobRecord, 'owner' | 'updated_at'>,
  now: Date,
): boolean {
  if (owner !== null && isOwnerRunning(owner) === false) return true
  return now.getTime() - Date.parse(updated_at) > ABANDONED_AFTER_MS
}

export const ABANDONED =
  'job_abandoned: The process of the job ended before it was done, and nothing was published: publish again'

/** Ends an abandoned publish, so that later ones of its pack need not wait. */
export async function endAbandoned({ jobs }: Catalog, { id, release }: UnfinishedJob): Promise<void> {
  await jobs.finish(release ?? id, { state: 'failed', error: ABANDONED, result: null })
}

/** Host name, process id and, if known, start time, because ids are reused. */
export function identifyProcess(): string {
  return `${hostname()} ${process.pid} ${readStat(process.pid)?.start ?? UNKNOWN_START}`
}

/** Whether the owner of a job still runs; `undefined` if it is on another machine. */
function isOwnerRunning(owner: string): boolean | undefined {
  const [host, pid = '', start] = owner.split(' ')
  if (host !== hostname() || !/^\d+$/.test(pid)) return undefined
  if (!processExists(Number(pid))) return false
  const stat = readStat(Number(pid))
  // Without /proc, a process with this id is taken for the owner.
  if (stat === undefined) return true
  return !ENDED_STATES.has(stat.state) && (start === UNKNOWN_START || start === stat.start)
}

const UNKNOWN_START = '-'

/** Zombie and dead: ended, but not yet waited for by the parent process. */
const ENDED_STATES: ReadonlySet<string> = new Set(['Z', 'X'])

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** State and start time in clock ticks since boot: proc_pid_stat(5), fields 3 and 22. */
function readStat(pid: number): { readonly state: string; readonly start: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const start = fields[18]
    return state === undefined || start === undefined ? undefined : { state, start }
  } catch {
    return undefined
  }
}
