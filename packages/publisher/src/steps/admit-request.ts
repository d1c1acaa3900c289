import type { Catalog, PackHead } from '@packs/catalog'
import type { PublishRequest, PublishResult } from '../runner.ts'
import type { PublishJob } from './job-data.ts'
import { createResult } from './results.ts'

/** A request that is a job now, or that has its result already. */
export type Admission = { readonly job: PublishJob } | { readonly result: PublishResult }

/** Sees whether a request is published already, and keeps its bytes for the job. @throws CatalogError */
export async function admitRequest(catalog: Catalog, request: PublishRequest): Promise<Admission> {
  const head = await catalog.packs.head(request.source.slug)
  const job = describeJob(request, head)
  if (head && isPublished(job, head)) return { result: describeUnchanged(job, head) }
  return { job: { ...job, source: await catalog.sources.put(request.file.bytes) } }
}

/** Admits the members of a release; gives the jobs, and the results of those that are published already. @throws CatalogError */
export async function admitRequests(
  catalog: Catalog,
  requests: readonly PublishRequest[],
): Promise<{ readonly jobs: readonly PublishJob[]; readonly settled: readonly PublishResult[] }> {
  const jobs: PublishJob[] = []
  const settled: PublishResult[] = []
  for (const request of requests) {
    const admission = await admitRequest(catalog, request)
    if ('job' in admission) jobs.push(admission.job)
    else settled.push(admission.result)
  }
  return { jobs, settled }
}

/** What is to be done for a request, its source not yet kept. */
export function describeJob(request: PublishRequest, head: PackHead | undefined): PublishJob {
  const { file, source, sourceDigest } = request
  return {
    slug: source.slug,
    source: '',
    source_digest: sourceDigest,
    path: file.path.slice(-4096),
    git_commit: request.gitCommit ?? null,
    bump: request.bump ?? null,
    rebuild: request.rebuild ?? false,
    parent: head?.version ?? null,
  }
}

/** Is a job's source that of the newest version, and nothing more asked. */
export function isPublished(job: PublishJob, head: PackHead): boolean {
  return head.sourceDigest === job.source_digest && !job.rebuild
}

/** The result of a job that had nothing to do. */
export function describeUnchanged(job: PublishJob, head: PackHead): PublishResult {
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
