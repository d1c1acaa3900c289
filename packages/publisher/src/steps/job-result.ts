import {
  type Catalog,
  CatalogError,
  type PackHead,
  versionConflictError,
  type CatalogErrorCode,
} from '@packs/catalog'
import { compareVersions, derivePackId } from '@packs/codec/internal'
import type { PublishRequest, PublishResult } from '../runner.ts'
import type { PublishJob } from './accept-jobs.ts'
import { recordDefaults } from '../version-builder/read-source.ts'
import { PublishError, type PublishErrorCode } from '../publish-error.ts'

/**
 * Finds the result of a job that is already done: its source is the newest version, or an earlier
 * run committed it.
 *
 * A queue delivers at least once, and a frozen worker may resume late, so only the catalog knows
 * what was done.
 */
export async function findExistingVersion(
  catalog: Catalog,
  job: PublishJob,
  jobId: string,
  head: PackHead | undefined,
): Promise<PublishResult | undefined> {
  if (head === undefined || head.version === job.parent) {
    return head && isUnchanged(job, head) ? createUnchangedResult(job, head) : undefined
  }
  const createExisting = (version: string, reasons: readonly string[]): PublishResult =>
    createResult({ slug: job.slug, version, status: 'published', reasons, job: jobId })
  if (head.provenance.job === jobId) return createExisting(head.version, head.provenance.reasons)
  if (isUnchanged(job, head)) return createUnchangedResult(job, head)
  for (const { version } of await catalog.packs.versions(job.slug)) {
    // A decided number is higher than all earlier ones.
    if (job.parent !== null && compareVersions(version, job.parent) <= 0) continue
    const provenance = await catalog.packs.provenance(job.slug, version)
    if (provenance?.job === jobId) return createExisting(version, provenance.reasons)
  }
  return undefined
}

/** Tells whether the source of a job is the newest version and no rebuild is requested. */
export function isUnchanged(job: PublishJob, head: PackHead): boolean {
  return head.sourceDigest === job.source_digest && !job.rebuild
}

export function createUnchangedResult(job: PublishJob, head: PackHead): PublishResult {
  const reasons = ['the newest version has the same source']
  if (head.yanked) {
    reasons.push(
      `${job.slug}@${head.version} is yanked: \`pack yank ${job.slug}@${head.version} --undo\` restores it, --rebuild publishes it again`,
    )
  }
  if (job.bump !== null) reasons.push(`--bump ${job.bump} was ignored: add --rebuild to publish it again`)
  return createResult({
    slug: job.slug,
    version: head.version,
    status: 'unchanged',
    level: 'none',
    reasons,
  })
}

/**
 * Errors of requests that name a version already published from another source, by slug.
 * @throws CatalogError
 */
export async function findConflicts(
  catalog: Catalog,
  requests: readonly PublishRequest[],
): Promise<Map<string, CatalogError>> {
  const conflicts = new Map<string, CatalogError>()
  for (const { source, sourceDigest } of requests) {
    const { slug, version } = source
    if (version === undefined) continue
    const taken = await catalog.packs.provenance(slug, version)
    const isPurged = !taken && (await catalog.packs.versions(slug)).some((line) => line.version === version)
    if (isPurged || (taken && taken.sourceDigest !== sourceDigest))
      conflicts.set(slug, versionConflictError(slug, version, isPurged))
  }
  return conflicts
}

/**
 * Returns the result if the source is the newest version, and stays it; else stores it and creates
 * a job.
 * @throws CatalogError
 */
export async function deduplicateRequest(
  catalog: Catalog,
  request: PublishRequest,
): Promise<{ readonly job: PublishJob } | { readonly result: PublishResult }> {
  const { slug } = request.source
  const pending = await catalog.jobs.unfinished([slug])
  const head = await catalog.packs.head(slug)
  const job = createJob(request, head)
  // A publish that was accepted before may replace the newest version.
  if (head && isUnchanged(job, head) && pending.length === 0)
    return { result: createUnchangedResult(job, head) }
  const source = await catalog.sources.put(request.file.bytes)
  const tables = request.source.defaults && recordDefaults(request.source.defaults).tables
  if (tables) await catalog.sources.put(tables)
  return { job: { ...job, source } }
}

/** @throws CatalogError */
export async function deduplicateRequests(
  catalog: Catalog,
  requests: readonly PublishRequest[],
): Promise<{ readonly jobs: readonly PublishJob[]; readonly existing: readonly PublishResult[] }> {
  const jobs: PublishJob[] = []
  const existing: PublishResult[] = []
  for (const request of requests) {
    const next = await deduplicateRequest(catalog, request)
    if ('job' in next) jobs.push(next.job)
    else existing.push(next.result)
  }
  return { jobs, existing }
}

/** Creates the job of a request, without the key of its stored source. */
export function createJob(request: PublishRequest, head: PackHead | undefined): PublishJob {
  const { file, source, sourceDigest } = request
  return {
    slug: source.slug,
    source: '',
    source_digest: sourceDigest,
    ...(source.defaults && { given: recordDefaults(source.defaults).record }),
    path: file.path.slice(-4096),
    git_commit: request.gitCommit ?? null,
    bump: request.bump ?? null,
    rebuild: request.rebuild ?? false,
    parent: head?.version ?? null,
    actor: request.actor,
  }
}

/** Creates a result; fields that are not given are `null` or empty. */
export function createResult(
  result: Pick<PublishResult, 'slug' | 'status'> & Partial<PublishResult>,
): PublishResult {
  return {
    id: derivePackId(result.slug),
    version: null,
    level: null,
    reasons: [],
    code: null,
    message: null,
    hint: null,
    job: null,
    messages: [],
    ...result,
  }
}

export function createErrorResult(
  { source }: PublishRequest,
  error: unknown,
  job: string | null = null,
): PublishResult {
  const messages = error instanceof PublishError ? error.messages : []
  return { ...createFailedResult(source.slug, describeFailure(error), job), messages }
}

export function createFailedResult(
  slug: string,
  { code, message, hint }: Failure,
  job: string | null,
): PublishResult {
  const status = code === 'version_conflict' ? 'conflict' : 'failed'
  return createResult({ slug, status, code, message, hint, job })
}

/** Returns the error of the other members of a release when the source at `path` failed. */
export function releaseError(path: string): PublishError {
  return new PublishError(
    'release_failed',
    `Nothing of the release was published, because ${path} failed`,
    'Correct this source or omit it, then release again.',
  )
}

/** In the order of the requests. If a pack has two results, the last one counts. */
export function orderResults(
  requests: readonly PublishRequest[],
  results: readonly PublishResult[],
): PublishResult[] {
  const bySlug = new Map(results.map((result) => [result.slug, result]))
  return requests.map(({ source }) => bySlug.get(source.slug)!)
}

/** Why a job failed. Others may read it, so it contains no text of a pack and no secrets. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly hint: string
}

/** Names only the class of an unknown error, because its message may quote anything. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof PublishError || error instanceof CatalogError) {
    return { code: error.code, message: error.message, hint: error.hint }
  }
  const kind = error instanceof Error ? error.name : typeof error
  return {
    code: 'job_failed',
    message: `Unexpected failure (${kind})`,
    hint: 'Try again; if it fails again, report it with the log of the worker.',
  }
}

/** Records the results of a job. Without messages: they quote the source, for its author only. */
export async function recordResult(
  { jobs }: Pick<Catalog, 'jobs'>,
  id: string,
  result: PublishResult | readonly PublishResult[],
): Promise<void> {
  const plain = [result].flat().map((one) => ({ ...one, messages: [] }))
  const failed = plain.find(({ code }) => code !== null)
  await jobs.finish(id, {
    state: failed ? 'failed' : 'completed',
    error: failed ? `${failed.code}: ${failed.message}` : null,
    result: JSON.stringify(Array.isArray(result) ? plain : plain[0]),
  })
}

export function isPermanent(code: Failure['code']): boolean {
  return !RETRYABLE_CODES.has(code)
}

/** Errors that a retry may fix. All others are caused by the source or by published versions. */
const RETRYABLE_CODES: ReadonlySet<Failure['code']> = new Set<PublishErrorCode | CatalogErrorCode>([
  'job_failed',
  'parent_moved',
  'catalog_unavailable',
  'queue_unavailable',
  'queue_full',
])

/** Code and message on the first line, the hint on the second. */
export function serializeFailure({ code, message, hint }: Failure): string {
  return `${code}: ${message}\n${hint}`
}

/** Whether a reason is that of `serializeFailure`, not of the queue itself. */
export function hasCode(reason: string): boolean {
  return /^[a-z]+(?:_[a-z]+)+: /.test(reason)
}

/** A reason that the queue itself wrote becomes `job_stalled` or `job_failed`. */
export function parseFailure(reason: string): Failure {
  const [first = '', ...rest] = reason.split('\n')
  const [, code, message] = /^([a-z]+(?:_[a-z]+)+): (.*)$/.exec(first) ?? []
  if (code !== undefined && message !== undefined) return { code, message, hint: rest.join(' ') }
  if (first.startsWith('job stalled'))
    return {
      code: 'job_stalled',
      message: 'The workers that ran the job were killed or froze, again and again',
      hint: 'If its source is large, give workers more memory, or lower PACK_BUILD_SECONDS; then run `pack jobs retry`.',
    }
  return {
    code: 'job_failed',
    message: `The job failed: ${first.slice(0, 160)}`,
    hint: 'Publish again; if it fails again, report it with the log of the worker.',
  }
}
