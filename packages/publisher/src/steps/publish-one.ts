import type { Catalog } from '@packs/catalog'
import type { PublishRequest, PublishResult } from '../runner.ts'
import { buildHere, type BuildVersion } from '../build-thread/create-build-thread.ts'
import { commitVersions } from './commit-versions.ts'
import { createErrorResult, createResult } from './create-result.ts'
import { createJob, createUnchangedResult, findConflicts, isUnchanged } from './find-existing-version.ts'
import type { PublishJob } from './job-data.ts'
import { loadParent, prepareVersion, type PublishContext, type ReportProgress } from './prepare-version.ts'

/**
 * Publishes the source of a job: builds and commits its version.
 *
 * @throws PublishError, CatalogError
 */
export async function publishOne(
  context: PublishContext,
  job: PublishJob,
  jobId: string,
  report: ReportProgress,
): Promise<PublishResult> {
  const preparation = await prepareVersion(context, job, jobId, report)
  if ('result' in preparation) return preparation.result
  const [result] = await commitVersions(context.catalog, [preparation.prepared])
  await report(100)
  return result!
}

/**
 * Does a dry run of a publish: builds the version and returns its result without committing. Never
 * throws.
 */
export async function planPublish(
  catalog: Catalog,
  request: PublishRequest,
  build: BuildVersion = buildHere,
): Promise<PublishResult> {
  try {
    const { slug, version } = request.source
    const head = await catalog.packs.head(slug)
    const job = createJob(request, head)
    if (head && isUnchanged(job, head)) return createUnchangedResult(job, head)
    const parent = await loadParent(catalog, head)
    const { decision, messages } = await build(request.file, parent, {
      bump: request.bump,
      rebuild: request.rebuild,
    })
    const conflict = (await findConflicts(catalog, [request])).get(slug)
    if (conflict) return { ...createErrorResult(request, conflict), messages }
    const taken = version === undefined ? undefined : await catalog.packs.provenance(slug, version)
    return createResult({ slug, status: taken ? 'unchanged' : 'published', ...decision, messages })
  } catch (error) {
    return createErrorResult(request, error)
  }
}
