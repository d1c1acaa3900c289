import type { Catalog } from '@packs/catalog'
import type { PublishResult } from '../runner.ts'
import { commitVersions } from './commit-versions.ts'
import type { PublishJob } from './job-data.ts'
import { prepareVersion, type Report } from './prepare-version.ts'

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
