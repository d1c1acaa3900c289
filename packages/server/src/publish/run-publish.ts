import type { Catalog, PackHead } from '@packs/catalog'
import type { PublishRequest, PublishResult, VersionLevel } from '@packs/publisher'
import { findExit, type Exit, type CommandRule } from '../command-error.ts'
import type { FoundSources, Host, SigningKey, Diagnostic } from '../host.ts'
import { withCatalog, withReadOnlyCatalog, withRunner, type ServiceUrls } from '../services/open-services.ts'
import { readRequests, type SourceRequest, loadFile } from './read-requests.ts'
import { failedOutcome, reportPublish, toOutcome, type PublishOutcome } from './report-publish.ts'
import { hash } from 'node:crypto'

export interface PublishOptions {
  readonly bump?: VersionLevel
  readonly rebuild?: boolean
  readonly dryRun?: boolean
  readonly wait?: boolean
  readonly release?: string
  readonly json?: boolean
  readonly verbose?: boolean
  readonly signingKey?: SigningKey
  readonly data: string
  readonly buildSeconds: number
}

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
    const requests = sources.map(({ request }) => request)
    const before = new Map<string, string | undefined>()
    for (const { source } of requests)
      before.set(source.slug, (await catalog.packs.head(source.slug))?.version)
    const { planPublish } = await import('@packs/publisher')
    const results = options.dryRun
      ? await planPublish(catalog, requests, options.buildSeconds)
      : await publishAll(host, catalog, requests, urls, options)
    const outcomes: PublishOutcome[] = []
    for (const [at, source] of sources.entries()) {
      const outcome = toOutcome(host, results[at]!, source, warnings.get(source.shown))
      const signed = await signOutcome(host, catalog, source.request, outcome, options)
      outcomes.push({ ...signed, before: before.get(outcome.slug ?? '') })
    }
    return options.json || options.dryRun ? outcomes : await countOutcomes(catalog, outcomes)
  })
}

/** Adds the figures of what was published. */
async function countOutcomes(
  { packs }: Catalog,
  outcomes: readonly PublishOutcome[],
): Promise<PublishOutcome[]> {
  const counted: PublishOutcome[] = []
  for (const outcome of outcomes) {
    const { slug, version, status } = outcome
    const figures = status === 'published' ? await packs.find(slug ?? '', version ?? '') : undefined
    counted.push({ ...outcome, ...(figures && { figures }) })
  }
  return counted
}

/** If signing fails, the version stays published; publishing its source again repeats it. */
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

const PATIENCE_MS = 120_000

async function publishAll(
  host: Host,
  catalog: Catalog,
  requests: readonly PublishRequest[],
  urls: ServiceUrls,
  { wait, release, json, buildSeconds }: PublishOptions,
): Promise<readonly PublishResult[]> {
  const isWaiting = wait === true || urls.redisUrl === undefined
  const total = requests.length
  const progress = host.startProgress('publishing', total, json === true || !isWaiting)
  const onProgress = (percent: number): void => progress.show(Math.floor((percent * total) / 100), total)
  try {
    return await withRunner(urls, catalog, buildSeconds, (runner) => {
      const run = { wait: isWaiting, onProgress, onNote: host.writeNote, patience: PATIENCE_MS }
      return release === undefined ? runner.publish(requests, run) : runner.release(release, requests, run)
    })
  } finally {
    progress.stop()
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

/**
 * Warns of sources that the catalog has under another slug: that of the file name, if the file is
 * now published from a folder, or that of its path in a folder, if it now has the slug of its name.
 */
async function findEarlierPacks(
  catalog: Catalog,
  sources: readonly SourceRequest[],
): Promise<ReadonlyMap<string, Diagnostic>> {
  return new Map([...(await findNamedPacks(catalog, sources)), ...(await findFolderPacks(catalog, sources))])
}

/** The slug was derived by an earlier release, or because the file was named directly. */
async function findNamedPacks(
  catalog: Catalog,
  sources: readonly SourceRequest[],
): Promise<ReadonlyMap<string, Diagnostic>> {
  const { readSource } = await import('@packs/publisher')
  const published = new Set(sources.map(({ request }) => request.source.slug))
  const candidates = sources.flatMap(({ shown, request: { source, file } }): Candidate[] => {
    if (source.defaults?.slug === undefined) return []
    const { slug: _slug, ...defaults } = file.defaults ?? {}
    const nameSlug = readSource({ ...file, defaults }).source.slug
    return published.has(nameSlug) ? [] : [{ shown, file, slug: source.slug, nameSlug }]
  })
  const warnings = new Map<string, Diagnostic>()
  for (const [nameSlug, group] of Map.groupBy(candidates, (candidate) => candidate.nameSlug)) {
    const head = await catalog.packs.head(nameSlug)
    if (head === undefined || head.yanked || head.provenance.given?.slug !== undefined) continue
    const ranks = group.map(({ file }) => rankOrigin(file, head))
    const best = Math.max(...ranks)
    for (const [at, { shown, slug }] of group.entries())
      if (best > 0 && ranks[at] === best) {
        const hint = `add \`slug: ${nameSlug}\` to the front matter`
        warnings.set(shown, createWarning(shown, head, "this file's name", slug, hint))
      }
  }
  return warnings
}

/** Finds packs whose slug was derived from a path, from one of the folders above the file. */
async function findFolderPacks(
  catalog: Catalog,
  sources: readonly SourceRequest[],
): Promise<ReadonlyMap<string, Diagnostic>> {
  const published = new Set(sources.map(({ request }) => request.source.slug))
  const warnings = new Map<string, Diagnostic>()
  for (const { shown, request } of sources) {
    const { source, file } = request
    if (source.defaults?.slug !== undefined || source.positions.has('slug')) continue
    for (const slug of await listPathSlugs(file.path)) {
      if (published.has(slug)) continue
      const head = await catalog.packs.head(slug)
      if (head === undefined || head.yanked || head.provenance.given?.slug !== slug) continue
      if (rankOrigin(file, head) === 0) continue
      const hint = `publish the folder, or add \`slug: ${slug}\` to the front matter`
      warnings.set(shown, createWarning(shown, head, 'a folder of this file', source.slug, hint))
      break
    }
  }
  return warnings
}

/** Folders above a file to try as the one it was published from. Each costs a query. */
const MOST_FOLDERS = 8

/** Returns the slugs that a file gets when one of the folders in its path is published. */
async function listPathSlugs(path: string): Promise<string[]> {
  const { derivePathSlug, withTable } = await import('@packs/codec/internal')
  const parts = splitPath(path).slice(-MOST_FOLDERS - 1)
  const slugs = await withTable(() =>
    parts.map((_, at) => derivePathSlug(parts.slice(at).join('/'), parts[at - 1])),
  )
  return [...new Set(slugs)]
}

/** Warns of sources that are skipped, such as drafts, although the catalog has them. */
async function findSkippedPacks(
  host: Host,
  catalog: Catalog,
  skipped: FoundSources['skipped'],
): Promise<readonly Diagnostic[]> {
  const { readSource } = await import('@packs/publisher')
  const warnings: Diagnostic[] = []
  for (const found of skipped) {
    const { shown, kind, defaults } = found
    // A draft may have errors; then its slug is unknown.
    const read = await loadFile(host, found)
      .then(({ file }) => readSource({ ...file, ...(defaults && { defaults }) }))
      .catch(() => undefined)
    if (read === undefined) continue
    const { slug } = read.source
    const head = await catalog.packs.head(slug)
    if (head === undefined || rankOrigin(read.file, head) === 0) continue
    const live = (await catalog.packs.versions(slug)).filter(({ yanked }) => !yanked)
    if (live.length === 0) continue
    const names = live.map(({ version }) => `${slug}@${version}`)
    const rest = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
    warnings.push({
      ...locate(shown),
      rule: 'skipped-source' satisfies CommandRule,
      message: `this source is skipped (${kind}), but the catalog has ${names.slice(0, MOST_NAMED).join(', ')}${rest}`,
      hint: `withdraw each version with \`pack yank ${names[0]}\`, or publish it with --drafts, or by its name`,
    })
  }
  return warnings
}

const MOST_NAMED = 5

interface Candidate {
  readonly shown: string
  readonly file: SourceRequest['request']['file']
  readonly slug: string
  readonly nameSlug: string
}

/**
 * Returns 0 if a version is not from a file. Equal bytes are the best sign, then paths that end
 * alike, as seen from a folder above or below; longer paths rank higher.
 */
function rankOrigin({ bytes, path }: Candidate['file'], { provenance }: PackHead): number {
  if (provenance.source_sha256 === hash('sha256', bytes)) return Number.MAX_SAFE_INTEGER
  const before = splitPath(provenance.path)
  const now = splitPath(path)
  const length = Math.min(before.length, now.length)
  return before.slice(-length).join('/') === now.slice(-length).join('/') ? length : 0
}

function splitPath(path: string): string[] {
  return path.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..')
}

/**
 * @param origin what the slug of the earlier pack was derived from
 * @param advice how to keep the earlier one
 */
function createWarning(
  file: string,
  { slug, version }: PackHead,
  origin: string,
  next: string,
  advice: string,
): Diagnostic {
  return {
    ...locate(file),
    rule: 'earlier-pack' satisfies CommandRule,
    message: `the catalog already has ${slug}@${version}, named after ${origin}; this publishes ${next}`,
    hint: `to continue ${slug}, ${advice}; otherwise withdraw its versions with \`pack yank\``,
  }
}

function locate(file: string): Pick<Diagnostic, 'file' | 'line' | 'column' | 'severity'> {
  return { file, line: null, column: null, severity: 'warning' }
}
