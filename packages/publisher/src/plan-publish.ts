import type { Catalog } from '@packs/catalog'
import { buildVersion } from './build/build-version.ts'
import type { PublishRequest, PublishResult } from './runner.ts'
import { describeJob, describeUnchanged, isPublished } from './work/admit-request.ts'
import { createResult, failRequest } from './work/results.ts'
import { loadParent } from './work/standing.ts'

/** Does all of a publish but the commit, and changes nothing: what it would give now. Never throws. */
export async function planPublish(catalog: Catalog, request: PublishRequest): Promise<PublishResult> {
  try {
    const { slug, version } = request.source
    const head = await catalog.packs.head(slug)
    const job = describeJob(request, head)
    if (head && isPublished(job, head)) return describeUnchanged(job, head)
    const parent = await loadParent(catalog, head)
    const { decision, messages } = await buildVersion(request.file, parent, request)
    const taken = version === undefined ? undefined : await catalog.packs.provenance(slug, version)
    if (taken === undefined || taken.sourceDigest === request.sourceDigest) {
      const status = taken ? 'unchanged' : 'published'
      return createResult({ slug, status, ...decision, messages })
    }
    const error = {
      code: 'version_conflict',
      message: `${slug}@${version} was published before, from another source`,
      hint: 'A version is written once: name a higher one, or none to have it decided.',
    }
    return createResult({ slug, status: 'conflict', ...error, messages })
  } catch (error) {
    return failRequest(request, error)
  }
}
