import type { Catalog } from '@packs/catalog'
import type { PublishRequest, PublishResult, VersionLevel } from '@packs/publisher'
import { findExit, type Exit } from '../command-error.ts'
import type { FoundSources, Host, SigningKey } from '../host.ts'
import { withCatalog, withReadOnlyCatalog, withRunner, type ServiceUrls } from '../services/open-services.ts'
import { findEarlierPacks, findSkippedPacks } from './find-earlier-packs.ts'
import { readRequests, type SourceRequest } from './read-requests.ts'
import { failedOutcome, reportPublish, toOutcome, type PublishOutcome } from './report-publish.ts'

export interface PublishOptions {
  readonly bump?: VersionLevel
  readonly rebuild?: boolean
  readonly dryRun?: boolean
  readonly wait?: boolean
  readonly release?: string
  readonly json?: boolean
  readonly verbose?: boolean
  /** Signs the published versions. */
  readonly signingKey?: SigningKey
  /** Time limit for building one source, in seconds. */
  readonly buildSeconds: number
}

/** Publishes sources, prints the outcome of each and returns the exit status. */
export async function runPublish(
  host: Host,
  found: FoundSources,
  urls: ServiceUrls,
  options: PublishOptions,
): Promise<Exit> {
  const { requests: sources, failures } = await readRequests(host, found, options)
  const isCanceled = options.release !== undefined && failures.length > 0
  const outcomes = isCanceled
    ? sources.map((source) => canceledOutcome(host, source, failures[0]!))
    : sources.length === 0
      ? []
      : await publishRequests(host, sources, urls, options)
  const all = [...outcomes, ...failures]
  const skipped =
    found.skipped.length === 0
      ? []
      : await withSuitableCatalog(host, urls, options, (catalog) =>
          findSkippedPacks(host, catalog, found.skipped),
        )
  reportPublish(host, all, [...skipped, ...found.messages], options)
  return decideStatus(all)
}

function withSuitableCatalog<T>(
  host: Host,
  urls: ServiceUrls,
  { dryRun }: PublishOptions,
  work: (catalog: Catalog) => Promise<T>,
): Promise<T> {
  return dryRun ? withReadOnlyCatalog(host, urls, work) : withCatalog(urls, work)
}

async function publishRequests(
  host: Host,
  sources: readonly SourceRequest[],
  urls: ServiceUrls,
  options: PublishOptions,
): Promise<PublishOutcome[]> {
  return withSuitableCatalog(host, urls, options, async (catalog) => {
    const warnings = await findEarlierPacks(catalog, sources)
    const results = options.dryRun
      ? await planAll(catalog, sources, options)
      : await publishAll(host, catalog, sources, urls, options)
    const outcomes: PublishOutcome[] = []
    for (const [at, source] of sources.entries()) {
      const outcome = toOutcome(host, results[at]!, source, warnings.get(source.shown))
      outcomes.push(await signOutcome(host, catalog, source.request, outcome, options))
    }
    return outcomes
  })
}

/**
 * Signs the version, if there is a key. If that fails, the version stays published; publishing its
 * source again repeats it.
 */
async function signOutcome(
  host: Host,
  catalog: Catalog,
  request: PublishRequest,
  outcome: PublishOutcome,
  { signingKey, dryRun }: PublishOptions,
): Promise<PublishOutcome> {
  const { version, code } = outcome
  if (version === null || code !== null || signingKey === undefined || dryRun) return outcome
  const { signVersion } = await import('@packs/publisher')
  try {
    const isNewlySigned = await signVersion(catalog, request, version, signingKey.sign)
    return { ...outcome, signer: signingKey.id, isNewlySigned }
  } catch (error) {
    return { ...outcome, ...host.describeError(error) }
  }
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
  host: Host,
  catalog: Catalog,
  sources: readonly SourceRequest[],
  urls: ServiceUrls,
  { wait, release, json, buildSeconds }: PublishOptions,
): Promise<readonly PublishResult[]> {
  const requests = sources.map(({ request }) => request)
  const isWaiting = wait === true || urls.redisUrl === undefined
  const bar = host.startProgressBar('publishing', json === true || !isWaiting)
  try {
    return await withRunner(urls, catalog, buildSeconds, (runner) => {
      const run = { wait: isWaiting, onProgress: bar.show, onNote: host.writeNote }
      return release === undefined ? runner.publish(requests, run) : runner.release(release, requests, run)
    })
  } finally {
    bar.stop()
  }
}

/** A release publishes all sources or none, so one failure cancels the others. */
function canceledOutcome(
  host: Host,
  { shown, request }: SourceRequest,
  failure: PublishOutcome,
): PublishOutcome {
  const problem = `nothing in this release was published, because ${failure.shown} failed`
  const hint = 'correct or omit that input, then release again'
  const error = Object.assign(new Error(problem), { code: 'release_failed', hint })
  return failedOutcome(host, error, shown, { slug: request.source.slug })
}

/** Most severe first: internal errors, unavailable services, refused requests, source problems. */
const BY_SEVERITY: readonly Exit[] = ['internal', 'unavailable', 'refused', 'findings']

function decideStatus(outcomes: readonly PublishOutcome[]): Exit {
  const found = outcomes
    .filter(({ code }) => code !== null)
    .map(({ code }) => (code === 'internal' ? 'internal' : (findExit(code!) ?? 'findings')))
  return BY_SEVERITY.find((status) => found.includes(status)) ?? 'done'
}
