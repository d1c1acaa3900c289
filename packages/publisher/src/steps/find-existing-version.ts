import { type Catalog, type CatalogError, type PackHead, versionConflictError } from '@packs/catalog'
import { compareVersions } from '@packs/codec/verify'
import type { PublishRequest, PublishResult } from '../runner.ts'
import { createResult } from './create-result.ts'
import type { PublishJob } from './job-data.ts'
import { recordDefaults } from '../version-builder/source-defaults-record.ts'

/**
 * Finds the result of a job that is already done: its source is the newest version, or an earlier
 * run committed it.
 *
 * A queue delivers at least once, and a frozen worker may resume late, so only the catalog knows
 * what was done.
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
  const createExisting = (version: string, reasons: readonly string[]): PublishResult =>
    createResult({ slug: job.slug, version, status: 'published', reasons, job: jobId })
  if (head.provenance.job === jobId) return createExisting(head.version, head.provenance.reasons)
  if (isUnchanged(job, head)) return createUnchangedResult(job, head)
  for (const { version } of await catalog.packs.versions(job.slug)) {
    // A decided number is higher than all earlier ones.
    if (job.parent !== null && compareVersions(version, job.parent) <= 0) continue
    const provenance = await catalog.packs.provenance(job.slug, version)
    if (provenance?.job === jobId) return createExisting(version, provenance.reasons)
  }
  return undefined
}

/** Tells whether the source of a job is the newest version and no rebuild is requested. */
export function isUnchanged(job: PublishJob, head: PackHead): boolean {
  return head.sourceDigest === job.source_digest && !job.rebuild
}

export function createUnchangedResult(job: PublishJob, head: PackHead): PublishResult {
  const reasons = ['the newest version has the same source']
  if (head.yanked) {
    reasons.push(
      `${job.slug}@${head.version} is yanked: \`pack yank ${job.slug}@${head.version} --undo\` restores it, --rebuild publishes it again`,
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

/**
 * Returns, by slug, the error of each request that names a version already published from another
 * source.
 *
 * @throws CatalogError
 */
export async function findConflicts(
  catalog: Catalog,
  requests: readonly PublishRequest[],
): Promise<Map<string, CatalogError>> {
  const conflicts = new Map<string, CatalogError>()
  for (const { source, sourceDigest } of requests) {
    const { slug, version } = source
    if (version === undefined) continue
    const taken = await catalog.packs.provenance(slug, version)
    if (taken && taken.sourceDigest !== sourceDigest) conflicts.set(slug, versionConflictError(slug, version))
  }
  return conflicts
}

/**
 * Returns the result if the source is the newest version already; else stores its bytes and creates
 * a job.
 *
 * @throws CatalogError
 */
export async function deduplicateRequest(
  catalog: Catalog,
  request: PublishRequest,
): Promise<{ readonly job: PublishJob } | { readonly result: PublishResult }> {
  const head = await catalog.packs.head(request.source.slug)
  const job = createJob(request, head)
  if (head && isUnchanged(job, head)) return { result: createUnchangedResult(job, head) }
  const source = await catalog.sources.put(request.file.bytes)
  const tables = request.source.defaults && recordDefaults(request.source.defaults).tables
  if (tables) await catalog.sources.put(tables)
  return { job: { ...job, source } }
}

/**
 * Deduplicates the requests of a release: jobs to run, and results of sources already published.
 *
 * @throws CatalogError
 */
export async function deduplicateRequests(
  catalog: Catalog,
  requests: readonly PublishRequest[],
): Promise<{ readonly jobs: readonly PublishJob[]; readonly existing: readonly PublishResult[] }> {
  const jobs: PublishJob[] = []
  const existing: PublishResult[] = []
  for (const request of requests) {
    const next = await deduplicateRequest(catalog, request)
    if ('job' in next) jobs.push(next.job)
    else existing.push(next.result)
  }
  return { jobs, existing }
}

/** Creates the job of a request, without the key of its stored source. */
export function createJob(request: PublishRequest, head: PackHead | undefined): PublishJob {
  const { file, source, sourceDigest } = request
  return {
    slug: source.slug,
    source: '',
    source_digest: sourceDigest,
    ...(source.defaults && { given: recordDefaults(source.defaults).record }),
    path: file.path.slice(-4096),
    git_commit: request.gitCommit ?? null,
    bump: request.bump ?? null,
    rebuild: request.rebuild ?? false,
    parent: head?.version ?? null,
    actor: request.actor,
  }
}
