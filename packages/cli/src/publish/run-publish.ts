import type { Catalog } from '@packs/catalog'
import type { VersionLevel, PublishResult } from '@packs/publisher'
import { exitStatus, type ExitStatus } from '../exit-status.ts'
import type { FoundFiles } from '../input/find-files.ts'
import { startBar } from '../output/progress-bar.ts'
import { writeNote } from '../output/terminal.ts'
import { findServiceStatus } from '../service/service-status.ts'
import {
  withCatalog,
  withReadOnlyCatalog,
  withRunner,
  type ServicePlaces,
} from '../services/open-services.ts'
import { readRequests, type NamedRequest } from './read-requests.ts'
import { failLine, reportPublish, toLine, type PublishLine } from './report-publish.ts'

/** What `pack publish` was asked. */
export interface PublishOptions {
  readonly bump?: VersionLevel
  readonly rebuild?: boolean
  readonly dryRun?: boolean
  readonly wait?: boolean
  readonly release?: string
  readonly json?: boolean
}

/** Publishes sources and reports what became of each; gives the exit status. */
export async function runPublish(
  found: FoundFiles,
  places: ServicePlaces,
  options: PublishOptions,
): Promise<ExitStatus> {
  const { good, bad } = await readRequests(found, options)
  const isHeld = options.release !== undefined && bad.length > 0
  const lines = isHeld
    ? good.map((named) => holdBack(named, bad[0]!))
    : good.length === 0
      ? []
      : await publishRequests(good, places, options)
  const all = [...lines, ...bad]
  reportPublish(all, options)
  return judgeStatus(all)
}

async function publishRequests(
  named: readonly NamedRequest[],
  places: ServicePlaces,
  options: PublishOptions,
): Promise<PublishLine[]> {
  const results = options.dryRun
    ? await withReadOnlyCatalog(places, (catalog) => planAll(catalog, named))
    : await withCatalog(places, (catalog) => publishAll(catalog, named, places, options))
  return results.map((result, at) => toLine(result, named[at]!.shown))
}

async function planAll(catalog: Catalog, named: readonly NamedRequest[]): Promise<readonly PublishResult[]> {
  const { planPublish } = await import('@packs/publisher')
  const results: PublishResult[] = []
  for (const { request } of named) results.push(await planPublish(catalog, request))
  return results
}

async function publishAll(
  catalog: Catalog,
  named: readonly NamedRequest[],
  places: ServicePlaces,
  { wait, release, json }: PublishOptions,
): Promise<readonly PublishResult[]> {
  const requests = named.map(({ request }) => request)
  const isWaiting = wait === true || places.redisUrl === undefined
  const bar = startBar('publishing', json === true || !isWaiting)
  try {
    return await withRunner(places, catalog, (runner) => {
      const run = { wait: isWaiting, onProgress: bar.show, onNote: writeNote }
      return release === undefined ? runner.publish(requests, run) : runner.release(release, requests, run)
    })
  } finally {
    bar.stop()
  }
}

/** A release is all or nothing, so that one bad source holds the others back. */
function holdBack({ shown, request }: NamedRequest, bad: PublishLine): PublishLine {
  const error = Object.assign(
    new Error(`nothing of the release was published, because ${bad.shown} failed`),
    {
      code: 'release_failed',
      hint: 'correct it, or leave it out, and release again',
    },
  )
  return failLine(error, shown, { slug: request.source.slug })
}

/** The gravest of all: a fault of ours, then what was away, then what was refused, then what was found. */
const GRAVITY: readonly ExitStatus[] = [
  exitStatus.internal,
  exitStatus.unavailable,
  exitStatus.refused,
  exitStatus.findings,
]

function judgeStatus(lines: readonly PublishLine[]): ExitStatus {
  const found = lines
    .filter(({ code }) => code !== null)
    .map(({ code }) =>
      code === 'internal' ? exitStatus.internal : (findServiceStatus(code!) ?? exitStatus.findings),
    )
  return GRAVITY.find((status) => found.includes(status)) ?? exitStatus.done
}
