import { setImmediate } from 'node:timers/promises'
import type { Catalog } from '@packs/catalog'
import type { PublishRequest, PublishResult, Runner, RunOptions } from '../runner.ts'
import { admitRequest } from '../steps/admit-request.ts'
import { nameJob } from '../steps/name-job.ts'
import type { Report } from '../steps/prepare-version.ts'
import { publishOne } from '../steps/publish-one.ts'
import { failRequest } from '../steps/results.ts'
import { recordJob } from './record-job.ts'
import { releaseInProcess } from './release-in-process.ts'

/** Creates the runner of the embedded default: publishes run here, one after the other, and are done on return. */
export function createInProcessRunner(catalog: Catalog): Runner {
  return {
    publish: (requests, options = {}) => publishAll(catalog, requests, options),
    release: (name, requests, options = {}) => releaseInProcess(catalog, name, requests, options),
    close: () => Promise.resolve(),
  }
}

async function publishAll(
  catalog: Catalog,
  requests: readonly PublishRequest[],
  { onProgress }: RunOptions,
): Promise<readonly PublishResult[]> {
  const results: PublishResult[] = []
  for (const request of requests) {
    const report = (percent: number): void => onProgress?.((100 * results.length + percent) / requests.length)
    results.push(await publishRequest(catalog, request, report))
    report(0)
    await setImmediate()
  }
  return results
}

async function publishRequest(
  catalog: Catalog,
  request: PublishRequest,
  report: Report,
): Promise<PublishResult> {
  let id: string | null = null
  try {
    const admission = await admitRequest(catalog, request)
    if ('result' in admission) return admission.result
    const { job } = admission
    const name = nameJob(job)
    id = name
    return await recordJob(catalog, { id: name, slug: job.slug }, () =>
      publishOne(catalog, job, name, report),
    )
  } catch (error) {
    return failRequest(request, error, id)
  }
}
