import type { Catalog } from '@packs/catalog'
import type { PublishRequest, PublishResult } from '../runner.ts'
import { buildVersion } from '../version-builder/build-version.ts'
import { describeJob } from './admit-request.ts'
import { commitVersions } from './commit-versions.ts'
import type { PublishJob } from './job-data.ts'
import { loadParent, prepareVersion, type Report } from './prepare-version.ts'
import { createResult, failRequest } from './results.ts'
import { describeUnchanged, findConflicts, isPublished } from './standing.ts'

/** Does the job of one source, from its bytes to the commit. @throws PublishError, CatalogError */
export async function publishOne(
  catalog: Catalog,
  job: PublishJob,
  jobId: string,
  report: Report,
): Promise<PublishResult> {
  const preparation = await prepareVersion(catalog, job, jobId, report)
  if ('result' in preparation) return preparation.result
  const [result] = await commitVersions(catalog, [preparation.prepared])
  await report(100)
  return result!
}

/** Does all of a publish but the commit, and changes nothing: what it would give now. Never throws. */
export async function planPublish(catalog: Catalog, request: PublishRequest): Promise<PublishResult> {
  try {
    const { slug, version } = request.source
    const head = await catalog.packs.head(slug)
    const job = describeJob(request, head)
    if (head && isPublished(job, head)) return describeUnchanged(job, head)
    const parent = await loadParent(catalog, head)
    const { decision, messages } = await buildVersion(request.file, parent, request)
    const conflict = (await findConflicts(catalog, [request])).get(slug)
    if (conflict) return { ...failRequest(request, conflict), messages }
    const taken = version === undefined ? undefined : await catalog.packs.provenance(slug, version)
    return createResult({ slug, status: taken ? 'unchanged' : 'published', ...decision, messages })
  } catch (error) {
    return failRequest(request, error)
  }
}
