import { hash } from 'node:crypto'
import type { Catalog, PackHead } from '@packs/catalog'
import type { Pack } from '@packs/codec/pack'
import type { PublishRequest, PublishResult, SourceFile, VersionLevel } from '@packs/publisher'
import type { CommandRule } from '../command-error.ts'
import type { Diagnostic, Host, SigningKey } from '../host.ts'
import { listUnknownVariables } from '../services/environment.ts'
import {
  locateServices,
  readOperator,
  withCatalog,
  withReadOnlyCatalog,
  withRunner,
} from '../services/open-services.ts'

/** A source as the program has read it. `shown` is its name in messages. */
export interface SourceInput {
  readonly shown: string
  readonly file: SourceFile
  /** Commit that has this exact file, if any. */
  readonly gitCommit: string | null
}

/** A source that readers of the site do not see, such as a draft. */
export type SkippedInput = Pick<SourceInput, 'shown' | 'file'> & { readonly kind: string }

export interface SourceOutcome extends PublishResult {
  /** Newest version before this one. */
  readonly before?: string | undefined
  /** Id of the key with which this command signed the version. */
  readonly signer?: string
  /** Whether the version had no signature by this key before. */
  readonly isNewlySigned?: boolean
  readonly figures?: Pick<Pack, 'uncompressed_estimate' | 'token_count' | 'rosetta_tokens'>
  readonly warning?: Diagnostic | undefined
}

export interface PublishOptions {
  readonly bump?: VersionLevel
  readonly rebuild?: boolean
  readonly dryRun?: boolean
  readonly wait?: boolean
  readonly release?: string
  readonly json?: boolean
  readonly signingKey?: SigningKey
  readonly data: string
  readonly buildSeconds: number
}

interface SourceRequest {
  readonly shown: string
  readonly request: PublishRequest
}

/**
 * Publishes sources that have no errors, and warns of skipped ones that the catalog has. The
 * outcomes are in their order.
 */
export async function publishSources(
  host: Host,
  inputs: readonly SourceInput[],
  skipped: readonly SkippedInput[],
  options: PublishOptions,
): Promise<{ readonly outcomes: readonly SourceOutcome[]; readonly warnings: readonly Diagnostic[] }> {
  for (const { variable, meant } of listUnknownVariables()) {
    const name = host.escapeControls(variable)
    host.writeNote(`note: ${name} is ignored: pack has no such variable${meant ? `, but ${meant}` : ''}`)
  }
  if (inputs.length + skipped.length === 0) return { outcomes: [], warnings: [] }
  const { readSource } = await import('@packs/publisher')
  const { bump, rebuild, dryRun, data } = options
  const actor = readOperator()
  const sources = inputs.map(({ shown, file, gitCommit }) => ({
    shown,
    request: { ...readSource(file), gitCommit, bump, rebuild, actor },
  }))
  const work = async (catalog: Catalog): ReturnType<typeof publishSources> => ({
    outcomes: sources.length === 0 ? [] : await publishRequests(host, catalog, sources, options),
    warnings: await findSkippedPacks(catalog, skipped),
  })
  const urls = locateServices(data)
  return dryRun ? withReadOnlyCatalog(host, urls, work) : withCatalog(urls, work)
}

async function publishRequests(
  host: Host,
  catalog: Catalog,
  sources: readonly SourceRequest[],
  options: PublishOptions,
): Promise<SourceOutcome[]> {
  const warnings = await findEarlierPacks(catalog, sources)
  const requests = sources.map(({ request }) => request)
  const before = new Map<string, string | undefined>()
  for (const { source } of requests) before.set(source.slug, (await catalog.packs.head(source.slug))?.version)
  const { planPublish } = await import('@packs/publisher')
  const results = options.dryRun
    ? await planPublish(catalog, requests, options.buildSeconds)
    : await publishAll(host, catalog, requests, options)
  const outcomes: SourceOutcome[] = []
  for (const [at, { shown, request }] of sources.entries()) {
    const outcome = { ...results[at]!, warning: warnings.get(shown), before: before.get(request.source.slug) }
    outcomes.push(await signOutcome(host, catalog, request, outcome, options))
  }
  return options.json || options.dryRun ? outcomes : await countOutcomes(catalog, outcomes)
}

/** Adds the figures of what was published. */
async function countOutcomes(
  { packs }: Catalog,
  outcomes: readonly SourceOutcome[],
): Promise<SourceOutcome[]> {
  const counted: SourceOutcome[] = []
  for (const outcome of outcomes) {
    const { slug, version, status } = outcome
    const figures = status === 'published' ? await packs.find(slug, version ?? '') : undefined
    counted.push({ ...outcome, ...(figures && { figures }) })
  }
  return counted
}

/** If signing fails, the version stays published; publishing its source again repeats it. */
async function signOutcome(
  host: Host,
  catalog: Catalog,
  request: PublishRequest,
  outcome: SourceOutcome,
  { signingKey, dryRun }: PublishOptions,
): Promise<SourceOutcome> {
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
  { wait, release, json, buildSeconds, data }: PublishOptions,
): Promise<readonly PublishResult[]> {
  const urls = locateServices(data)
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
  catalog: Catalog,
  skipped: readonly SkippedInput[],
): Promise<readonly Diagnostic[]> {
  const { readSource } = await import('@packs/publisher')
  const warnings: Diagnostic[] = []
  for (const { shown, kind, file } of skipped) {
    // A draft may have errors; then its slug is unknown.
    const read = await Promise.resolve(file)
      .then(readSource)
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
