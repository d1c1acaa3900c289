import type { Catalog } from '@packs/catalog'
import { buildVersion } from './version-builder/build-version.ts'
import type { PublishRequest, PublishResult } from './runner.ts'
import { describeJob, describeUnchanged, isPublished } from './steps/admit-request.ts'
import { createResult, failRequest } from './steps/results.ts'
import { findConflicts } from './steps/find-conflicts.ts'
import { loadParent } from './steps/standing.ts'

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
