import type { Catalog } from '@packs/catalog'
import type { VersionLevel, PublishResult } from '@packs/publisher'
import { exitStatus, findServiceStatus, type ExitStatus } from '../exit-status.ts'
import type { FoundFiles } from '../input/find-files.ts'
import { startProgressBar } from '../output/progress.ts'
import { writeNote } from '../output/terminal.ts'
import { withCatalog, withReadOnlyCatalog, withRunner, type ServiceUrls } from '../services/open-services.ts'
import { readRequests, type SourceRequest } from './read-requests.ts'
import { failedOutcome, reportPublish, toOutcome, type PublishOutcome } from './report-publish.ts'

/** Options of `pack publish`. */
export interface PublishOptions {
  readonly bump?: VersionLevel
  readonly rebuild?: boolean
  readonly dryRun?: boolean
  readonly wait?: boolean
  readonly release?: string
  readonly json?: boolean
  /** Longest build of one source, in seconds. */
  readonly buildSeconds: number
}

/** Publishes sources, prints the outcome of each and returns the exit status. */
export async function runPublish(
  found: FoundFiles,
  urls: ServiceUrls,
  options: PublishOptions,
): Promise<ExitStatus> {
  const { requests: sources, failures } = await readRequests(found, options)
  const isCancelled = options.release !== undefined && failures.length > 0
  const outcomes = isCancelled
    ? sources.map((source) => cancelledOutcome(source, failures[0]!))
    : sources.length === 0
      ? []
      : await publishRequests(sources, urls, options)
  const all = [...outcomes, ...failures]
  reportPublish(all, options)
  return decideStatus(all)
}

async function publishRequests(
  sources: readonly SourceRequest[],
  urls: ServiceUrls,
  options: PublishOptions,
): Promise<PublishOutcome[]> {
  const results = options.dryRun
    ? await withReadOnlyCatalog(urls, (catalog) => planAll(catalog, sources, options))
    : await withCatalog(urls, (catalog) => publishAll(catalog, sources, urls, options))
  return results.map((result, at) => toOutcome(result, sources[at]!.shown))
}

async function planAll(
  catalog: Catalog,
  sources: readonly SourceRequest[],
  { buildSeconds }: PublishOptions,
): Promise<readonly PublishResult[]> {
  const { createBuildThread, planPublish } = await import('@packs/publisher')
  const { build, close } = createBuildThread(buildSeconds)
  const results: PublishResult[] = []
  for (const { request } of sources) results.push(await planPublish(catalog, request, build))
  await close()
  return results
}

async function publishAll(
  catalog: Catalog,
  sources: readonly SourceRequest[],
  urls: ServiceUrls,
  { wait, release, json, buildSeconds }: PublishOptions,
): Promise<readonly PublishResult[]> {
  const requests = sources.map(({ request }) => request)
  const isWaiting = wait === true || urls.redisUrl === undefined
  const bar = startProgressBar('publishing', json === true || !isWaiting)
  try {
    return await withRunner(urls, catalog, buildSeconds, (runner) => {
      const run = { wait: isWaiting, onProgress: bar.show, onNote: writeNote }
      return release === undefined ? runner.publish(requests, run) : runner.release(release, requests, run)
    })
  } finally {
    bar.stop()
  }
}

/** A release publishes all sources or none, so one failure cancels the others. */
function cancelledOutcome({ shown, request }: SourceRequest, failure: PublishOutcome): PublishOutcome {
  const error = Object.assign(
    new Error(`nothing of the release was published, because ${failure.shown} failed`),
    {
      code: 'release_failed',
      hint: 'correct that input or leave it out, then release again',
    },
  )
  return failedOutcome(error, shown, { slug: request.source.slug })
}

/** Most severe first: internal errors, unavailable services, refused requests, problems in sources. */
const BY_SEVERITY: readonly ExitStatus[] = [
  exitStatus.internal,
  exitStatus.unavailable,
  exitStatus.refused,
  exitStatus.findings,
]

function decideStatus(outcomes: readonly PublishOutcome[]): ExitStatus {
  const found = outcomes
    .filter(({ code }) => code !== null)
    .map(({ code }) =>
      code === 'internal' ? exitStatus.internal : (findServiceStatus(code!) ?? exitStatus.findings),
    )
  return BY_SEVERITY.find((status) => found.includes(status)) ?? exitStatus.done
}
