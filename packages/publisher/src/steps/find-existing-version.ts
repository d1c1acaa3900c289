import { type Catalog, CatalogError, type PackHead } from '@packs/catalog'
import type { PublishRequest, PublishResult } from '../runner.ts'
import { compareVersions } from '../version-builder/decide-version.ts'
import type { PublishJob } from './job-data.ts'
import { createResult } from './create-result.ts'

/**
 * Gives the result of a job that is done already: its source is the newest version, or an earlier run of it has committed.
 *
 * A queue delivers at least once, and a worker may wake up late: only the catalog tells what was done.
 */
export async function findExistingVersion(
  catalog: Catalog,
  job: PublishJob,
  jobId: string,
  head: PackHead | undefined,
): Promise<PublishResult | undefined> {
  if (head === undefined || head.version === job.parent) {
    return head && isUnchanged(job, head) ? createUnchangedResult(job, head) : undefined
  }
  if (head.provenance.job === jobId)
    return createExistingResult(job, jobId, head.version, head.provenance.reasons)
  if (isUnchanged(job, head)) return createUnchangedResult(job, head)
  for (const { version } of await catalog.packs.versions(job.slug)) {
    // A decided number is above all those before it.
    if (job.parent !== null && compareVersions(version, job.parent) <= 0) continue
    const provenance = await catalog.packs.provenance(job.slug, version)
    if (provenance?.job === jobId) return createExistingResult(job, jobId, version, provenance.reasons)
  }
  return undefined
}

function createExistingResult(
  job: PublishJob,
  jobId: string,
  version: string,
  reasons: readonly string[],
): PublishResult {
  return createResult({ slug: job.slug, version, status: 'published', reasons, job: jobId })
}

/** Is a job's source that of the newest version, and nothing more asked. */
export function isUnchanged(job: PublishJob, head: PackHead): boolean {
  return head.sourceDigest === job.source_digest && !job.rebuild
}

/** The result of a job that had nothing to do. */
export function createUnchangedResult(job: PublishJob, head: PackHead): PublishResult {
  const reasons = ['the newest version is of this very source']
  if (head.yanked) {
    reasons.push(
      `${job.slug}@${head.version} is yanked: \`pack yank ${job.slug}@${head.version} --undo\` shows it again, --rebuild publishes it anew`,
    )
  }
  if (job.bump !== null) reasons.push(`--bump ${job.bump} was ignored: add --rebuild to publish it again`)
  return createResult({
    slug: job.slug,
    version: head.version,
    status: 'unchanged',
    level: 'none',
    reasons,
  })
}

/** Gives the error of each request that names a version which another source has, by slug. @throws CatalogError */
export async function findConflicts(
  catalog: Catalog,
  requests: readonly PublishRequest[],
): Promise<Map<string, CatalogError>> {
  const conflicts = new Map<string, CatalogError>()
  for (const { source, sourceDigest } of requests) {
    const { slug, version } = source
    if (version === undefined) continue
    const taken = await catalog.packs.provenance(slug, version)
    if (taken && taken.sourceDigest !== sourceDigest) conflicts.set(slug, conflictError(slug, version))
  }
  return conflicts
}

function conflictError(slug: string, version: string): CatalogError {
  return new CatalogError(
    'version_conflict',
    `${slug}@${version} was published before, from another source`,
    'A version is written once: name a higher one, or none to have it decided.',
  )
}
