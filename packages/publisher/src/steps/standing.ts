import type { Catalog, PackHead, Provenance } from '@packs/catalog'
import type { Source } from '@packs/codec/source'
import type { EarlierVersion, Parent } from '../version-builder/decide-version.ts'
import { compareVersions } from '../version-builder/version-number.ts'
import { PublishError } from '../publish-error.ts'
import { readSource, type SourceFile } from '../version-builder/build-version.ts'
import type { PublishResult } from '../runner.ts'
import { describeUnchanged, isPublished } from './admit-request.ts'
import type { PublishJob } from './job-data.ts'
import { createResult } from './results.ts'

/** Gives the source file of a job. @throws PublishError `source_missing` */
export async function loadSource(catalog: Catalog, job: PublishJob): Promise<SourceFile> {
  const bytes = await catalog.sources.get(job.source)
  if (bytes !== undefined) return { bytes, path: job.path }
  throw new PublishError(
    'source_missing',
    `The catalog has no source ${job.source.slice(0, 12)} for ${job.slug}`,
    'Let producers and workers use one database, and publish again.',
  )
}

/** Gives what a version is decided against; a source that is gone or no longer read is left out. */
export async function loadParent(catalog: Catalog, head: PackHead | undefined): Promise<Parent | undefined> {
  if (head === undefined) return undefined
  const { version, highest } = head
  const source = await loadEarlierSource(catalog, head.provenance)
  return { version, source, highest, latest: await loadLatest(catalog, head) }
}

async function loadLatest(catalog: Catalog, head: PackHead): Promise<EarlierVersion | undefined> {
  const version = (await catalog.packs.latest(head.slug))?.version
  if (version === undefined || version === head.version) return undefined
  const provenance = await catalog.packs.provenance(head.slug, version)
  return { version, source: provenance && (await loadEarlierSource(catalog, provenance)) }
}

async function loadEarlierSource(
  catalog: Catalog,
  { source_sha256, path }: Provenance,
): Promise<Source | undefined> {
  const bytes = await catalog.sources.get(source_sha256)
  if (bytes === undefined) return undefined
  try {
    return readSource({ bytes, path }).source
  } catch (error) {
    if (error instanceof PublishError) return undefined
    throw error
  }
}

/**
 * Gives the result of a job that is done already: its source is the newest version, or an earlier run of it has committed.
 *
 * A queue delivers at least once, and a worker may wake up late: only the catalog tells what was done.
 */
export async function findSettled(
  catalog: Catalog,
  job: PublishJob,
  jobId: string,
  head: PackHead | undefined,
): Promise<PublishResult | undefined> {
  if (head === undefined || head.version === job.parent) {
    return head && isPublished(job, head) ? describeUnchanged(job, head) : undefined
  }
  if (head.provenance.job === jobId) return describeEarlier(job, jobId, head.version, head.provenance.reasons)
  if (isPublished(job, head)) return describeUnchanged(job, head)
  for (const { version } of await catalog.packs.versions(job.slug)) {
    // A decided number is above all those before it.
    if (job.parent !== null && compareVersions(version, job.parent) <= 0) continue
    const provenance = await catalog.packs.provenance(job.slug, version)
    if (provenance?.job === jobId) return describeEarlier(job, jobId, version, provenance.reasons)
  }
  return undefined
}

function describeEarlier(
  job: PublishJob,
  jobId: string,
  version: string,
  reasons: readonly string[],
): PublishResult {
  return createResult({ slug: job.slug, version, status: 'published', reasons, job: jobId })
}
