import type { Catalog, PackHead } from '@packs/catalog'
import type { PublishRequest, PublishResult } from '../runner.ts'
import { recordGiven } from '../version-builder/given-record.ts'
import { createUnchangedResult, isUnchanged } from './find-existing-version.ts'
import type { PublishJob } from './job-data.ts'

/** The job of a request, or its result if it needs no job. */
export type JobOrResult = { readonly job: PublishJob } | { readonly result: PublishResult }

/** Returns the result if the source is the newest version already; else stores its bytes and creates a job. @throws CatalogError */
export async function deduplicateRequest(catalog: Catalog, request: PublishRequest): Promise<JobOrResult> {
  const head = await catalog.packs.head(request.source.slug)
  const job = createJob(request, head)
  if (head && isUnchanged(job, head)) return { result: createUnchangedResult(job, head) }
  const source = await catalog.sources.put(request.file.bytes)
  const tables = request.source.given && recordGiven(request.source.given).tables
  if (tables) await catalog.sources.put(tables)
  return { job: { ...job, source } }
}

/** Deduplicates the requests of a release: jobs to run, and results of sources already published. @throws CatalogError */
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
    ...(source.given && { given: recordGiven(source.given).record }),
    path: file.path.slice(-4096),
    git_commit: request.gitCommit ?? null,
    bump: request.bump ?? null,
    rebuild: request.rebuild ?? false,
    parent: head?.version ?? null,
    actor: request.actor,
  }
}
