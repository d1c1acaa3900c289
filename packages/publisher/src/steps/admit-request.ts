import type { Catalog, PackHead } from '@packs/catalog'
import type { PublishRequest, PublishResult } from '../runner.ts'
import type { PublishJob } from './job-data.ts'
import { describeUnchanged, isPublished } from './standing.ts'

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
