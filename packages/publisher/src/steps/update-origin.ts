import type { PublishJob } from './job-data.ts'
import {
  prepareVersion,
  type Preparation,
  type PublishContext,
  type ReportProgress,
} from './prepare-version.ts'

/** Reads the current data of a job; `undefined` if it cannot have changed. */
export type ReadLatest = () => Promise<PublishJob | undefined>

/** Most builds of one job whose path changes during each of them. */
const MAX_BUILDS = 3

/**
 * Gives a prepared version the path, git commit and actor of the last publish that joined its job. Call it right before the commit.
 *
 * A title can come from the path, so a version whose path has changed is built again.
 *
 * @throws PublishError, CatalogError
 */
export async function updateOrigin(
  context: PublishContext,
  preparation: Preparation,
  readLatest: ReadLatest,
  report: ReportProgress,
): Promise<Preparation> {
  let current = preparation
  for (let builds = 1; 'prepared' in current; builds++) {
    const { job, jobId } = current.prepared
    const latest = await readLatest()
    if (latest === undefined || isSameOrigin(job, latest)) return current
    const { path, git_commit, actor } = latest
    if (job.path === path) return { prepared: { ...current.prepared, job: { ...job, git_commit, actor } } }
    if (builds === MAX_BUILDS) return current
    current = await prepareVersion(context, { ...job, path, git_commit, actor }, jobId, report)
  }
  return current
}

/** Tells whether two jobs have the same origin: path, git commit and actor. */
export function isSameOrigin(job: PublishJob, other: PublishJob): boolean {
  return (
    job.path === other.path &&
    job.git_commit === other.git_commit &&
    job.actor.kind === other.actor.kind &&
    job.actor.id === other.actor.id
  )
}
