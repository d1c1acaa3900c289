import { CatalogError, type Catalog, type CommitResult, type NewVersion } from '@packs/catalog'
import type { PublishResult, PublishRequest } from '../runner.ts'
import { codecVersion, listIgnoredOptions } from '../version-builder/decide-version.ts'
import {
  createResult,
  createErrorResult,
  findExistingVersion,
  createJob,
  createUnchangedResult,
  findConflicts,
  isUnchanged,
} from './job-result.ts'
import {
  rebaseVersion,
  type Preparation,
  type PreparedVersion,
  loadParent,
  prepareVersion,
  type PublishContext,
  type ReportProgress,
} from './prepare-version.ts'
import { type BuildVersion, createBuildThread } from '../build-thread/create-build-thread.ts'
import type { PublishJob } from './accept-jobs.ts'

/**
 * Commits the members that have no result yet in one transaction.
 * @throws CatalogError
 */
export async function commitRelease(
  catalog: Catalog,
  preparations: readonly Preparation[],
): Promise<readonly PublishResult[]> {
  const versions = preparations.flatMap((member) => ('prepared' in member ? [member.prepared] : []))
  const existing = preparations.flatMap((member) => ('result' in member ? [member.result] : []))
  return [...existing, ...(await commitVersions(catalog, versions))]
}

/** A commit fails after that of another publish, so at least one succeeds each time. */
const MAX_ATTEMPTS = 1000

/**
 * Commits all or none. If a pack got a newer version meanwhile, decides the number again.
 * @throws CatalogError `version_conflict` if a version that the author named exists already
 */
export async function commitVersions(
  catalog: Catalog,
  versions: readonly PreparedVersion[],
): Promise<readonly PublishResult[]> {
  const results = new Map<string, PublishResult>()
  let pending = versions
  for (let attempt = 1; pending.length > 0; attempt++) {
    try {
      const committed = await catalog.packs.commit(pending.map(toNewVersion))
      for (const [at, done] of committed.entries())
        results.set(done.slug, createCommitResult(pending[at]!, done))
      pending = []
    } catch (error) {
      const isParentMoved = error instanceof CatalogError && error.code === 'parent_moved'
      if (!isParentMoved || attempt === MAX_ATTEMPTS) throw error
      const rebase = await rebaseVersions(catalog, pending)
      for (const result of rebase.existing) results.set(result.slug, result)
      if (!rebase.hasMoved) throw error
      pending = rebase.pending
    }
  }
  return versions.map(({ job }) => results.get(job.slug)!)
}

interface Rebase {
  readonly pending: PreparedVersion[]
  readonly existing: PublishResult[]
  /** Whether any parent changed; if not, a retry would fail the same way. */
  hasMoved: boolean
}

async function rebaseVersions(catalog: Catalog, versions: readonly PreparedVersion[]): Promise<Rebase> {
  const rebase: Rebase = { pending: [], existing: [], hasMoved: false }
  for (const version of versions) {
    const { job, jobId, parent } = version
    const head = await catalog.packs.head(job.slug)
    if (head?.version === parent?.version) {
      rebase.pending.push(version)
      continue
    }
    rebase.hasMoved = true
    const result = await findExistingVersion(catalog, job, jobId, head)
    if (result) rebase.existing.push(result)
    else rebase.pending.push(await rebaseVersion(catalog, version, head))
  }
  return rebase
}

function toNewVersion(prepared: PreparedVersion): NewVersion {
  const { job, jobId, pack, settings, assumed, decision, parent } = prepared
  return {
    pack,
    ...(assumed && { assumed }),
    sourceDigest: job.source_digest,
    parent: parent?.version ?? null,
    actor: job.actor,
    provenance: {
      source_sha256: job.source,
      ...(job.given && { given: job.given }),
      path: job.path,
      git_commit: job.git_commit,
      codec_version: codecVersion,
      // A purged version has none.
      parent_digest: parent?.digest || null,
      job: jobId,
      reasons: decision.reasons,
      options: settings,
    },
  }
}

function createCommitResult(
  { job, jobId, decision, messages }: PreparedVersion,
  { slug, version, status }: CommitResult,
): PublishResult {
  const { level, reasons } = decision
  const ignored = listIgnoredOptions({ bump: job.bump ?? undefined, rebuild: job.rebuild })
  return createResult({
    slug,
    version,
    status,
    level: status === 'unchanged' ? 'none' : level,
    reasons: status === 'unchanged' ? [`${version} has the same source`, ...ignored] : reasons,
    job: jobId,
    messages,
  })
}

/** @throws PublishError, CatalogError */
export async function publishOne(
  context: PublishContext,
  job: PublishJob,
  jobId: string,
  report: ReportProgress,
): Promise<PublishResult> {
  const preparation = await prepareVersion(context, job, jobId, report)
  if ('result' in preparation) return preparation.result
  const [result] = await commitVersions(context.catalog, [preparation.prepared])
  await report(100)
  return result!
}

/** Builds versions and returns their results without committing. Never throws. */
export async function planPublish(
  catalog: Catalog,
  requests: readonly PublishRequest[],
  seconds?: number,
): Promise<readonly PublishResult[]> {
  const { build, close } = createBuildThread(seconds)
  const results: PublishResult[] = []
  for (const request of requests) results.push(await planOne(catalog, request, build))
  await close()
  return results
}

async function planOne(
  catalog: Catalog,
  request: PublishRequest,
  build: BuildVersion,
): Promise<PublishResult> {
  try {
    const { slug, version } = request.source
    const head = await catalog.packs.head(slug)
    const job = createJob(request, head)
    if (head && isUnchanged(job, head)) return createUnchangedResult(job, head)
    await catalog.sources.check(request.file.bytes)
    const parent = await loadParent(catalog, head)
    const { decision, messages } = await build(request.file, parent, {
      bump: request.bump,
      rebuild: request.rebuild,
    })
    const conflict = (await findConflicts(catalog, [request])).get(slug)
    if (conflict) return { ...createErrorResult(request, conflict), messages }
    const taken = version === undefined ? undefined : await catalog.packs.provenance(slug, version)
    return createResult({ slug, status: taken ? 'unchanged' : 'published', ...decision, messages })
  } catch (error) {
    return createErrorResult(request, error)
  }
}
