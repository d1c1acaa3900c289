import type { Catalog, PackHead } from '@packs/catalog'
import type { PublishRequest, PublishResult } from '../runner.ts'
import type { PublishJob } from './job-data.ts'
import { createUnchangedResult, isUnchanged } from './find-existing-version.ts'

/** A request that is a job now, or that has its result already. */
export type JobOrResult = { readonly job: PublishJob } | { readonly result: PublishResult }

/** Sees whether a request is published already, and keeps its bytes for the job. @throws CatalogError */
export async function deduplicateRequest(catalog: Catalog, request: PublishRequest): Promise<JobOrResult> {
  const head = await catalog.packs.head(request.source.slug)
  const job = createJob(request, head)
  if (head && isUnchanged(job, head)) return { result: createUnchangedResult(job, head) }
  return { job: { ...job, source: await catalog.sources.put(request.file.bytes) } }
}

/** Admits the members of a release; gives the jobs, and the results of those that are published already. @throws CatalogError */
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

/** What is to be done for a request, its source not yet kept. */
export function createJob(request: PublishRequest, head: PackHead | undefined): PublishJob {
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
