import { type Catalog, CatalogError, type CommitResult, type NewVersion } from '@packs/catalog'
import type { PublishResult } from '../runner.ts'
import { codecVersion } from '../version-builder/build-version.ts'
import { listIgnored } from '../version-builder/decide-version.ts'
import { decideAgain, type Preparation, type PreparedVersion } from './prepare-version.ts'
import { createResult } from './results.ts'
import { findSettled } from './standing.ts'

/** Commits all members of a release that are not settled already, in one transaction. @throws CatalogError */
export async function commitRelease(
  catalog: Catalog,
  preparations: readonly Preparation[],
): Promise<readonly PublishResult[]> {
  const versions = preparations.flatMap((member) => ('prepared' in member ? [member.prepared] : []))
  const settled = preparations.flatMap((member) => ('result' in member ? [member.result] : []))
  return [...settled, ...(await commitVersions(catalog, versions))]
}

/** Each time another publish of one of the packs got in between; one of them always gets on. */
const MOST_TRIES = 1000

/**
 * Commits prepared versions, all or none. Where a pack has a newer version meanwhile, the number is decided again.
 *
 * @throws CatalogError `version_conflict` where a number that the author named is taken
 */
export async function commitVersions(
  catalog: Catalog,
  versions: readonly PreparedVersion[],
): Promise<readonly PublishResult[]> {
  const results = new Map<string, PublishResult>()
  let open = versions
  for (let tries = 1; open.length > 0; tries++) {
    try {
      const committed = await catalog.packs.commit(open.map(describeVersion))
      for (const [at, done] of committed.entries()) results.set(done.slug, describeCommit(open[at]!, done))
      open = []
    } catch (error) {
      const isOvertaken = error instanceof CatalogError && error.code === 'parent_moved'
      if (!isOvertaken || tries === MOST_TRIES) throw error
      const renewed = await renewVersions(catalog, open)
      for (const result of renewed.settled) results.set(result.slug, result)
      if (!renewed.isMoved) throw error
      open = renewed.open
    }
  }
  return versions.map(({ job }) => results.get(job.slug)!)
}

interface Renewal {
  readonly open: PreparedVersion[]
  readonly settled: PublishResult[]
  /** Without it, trying again would end the same. */
  isMoved: boolean
}

async function renewVersions(catalog: Catalog, versions: readonly PreparedVersion[]): Promise<Renewal> {
  const renewal: Renewal = { open: [], settled: [], isMoved: false }
  for (const version of versions) {
    const { job, jobId, parent } = version
    const head = await catalog.packs.head(job.slug)
    if (head?.version === parent?.version) {
      renewal.open.push(version)
      continue
    }
    renewal.isMoved = true
    const result = await findSettled(catalog, job, jobId, head)
    if (result) renewal.settled.push(result)
    else renewal.open.push(await decideAgain(catalog, version, head))
  }
  return renewal
}

function describeVersion({ job, jobId, pack, settings, decision, parent }: PreparedVersion): NewVersion {
  return {
    pack,
    sourceDigest: job.source_digest,
    parent: parent?.version ?? null,
    provenance: {
      source_sha256: job.source,
      path: job.path,
      git_commit: job.git_commit,
      codec_version: codecVersion,
      parent_digest: parent?.digest ?? null,
      job: jobId,
      reasons: decision.reasons,
      options: settings,
    },
  }
}

function describeCommit(
  { job, jobId, decision, messages }: PreparedVersion,
  { slug, version, status }: CommitResult,
): PublishResult {
  const { level, reasons } = decision
  const ignored = listIgnored({ bump: job.bump ?? undefined, rebuild: job.rebuild })
  return createResult({
    slug,
    version,
    status,
    level: status === 'unchanged' ? 'none' : level,
    reasons: status === 'unchanged' ? [`${version} is of this very source`, ...ignored] : reasons,
    job: jobId,
    messages,
  })
}
