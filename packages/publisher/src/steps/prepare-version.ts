import {
  CatalogError,
  type BuildSettings,
  type Catalog,
  type PackHead,
  type Provenance,
} from '@packs/catalog'
import type { Pack, Source } from '@packs/codec/pack'
import { PublishError, type SourceMessage } from '../publish-error.ts'
import type { PublishResult } from '../runner.ts'
import type { BuildVersion } from '../build-thread/create-build-thread.ts'
import {
  decideVersion,
  type EarlierVersion,
  type Parent,
  type VersionDecision,
  renumberPack,
} from '../version-builder/decide-version.ts'
import { restoreDefaults, readSource, type SourceFile } from '../version-builder/read-source.ts'
import { findExistingVersion } from './job-result.ts'
import type { PublishJob } from './accept-jobs.ts'

export interface PreparedVersion {
  readonly job: PublishJob
  /** Id of the job that commits it. */
  readonly jobId: string
  readonly pack: Pack
  readonly settings: BuildSettings
  /** As in `BuiltVersion`; absent if a worker of an earlier version built it. */
  readonly assumed?: readonly string[] | undefined
  readonly decision: VersionDecision
  /** Newest version when the number was decided. */
  readonly parent: { readonly version: string; readonly digest: string } | null
  readonly messages: readonly SourceMessage[]
}

/** A version ready to commit, or the result if the job is already done. */
export type Preparation = { readonly prepared: PreparedVersion } | { readonly result: PublishResult }

export interface PublishContext {
  readonly catalog: Catalog
  readonly build: BuildVersion
}

export type ReportProgress = (percent: number) => void | Promise<void>

/**
 * Takes nearly all the time of a publish.
 * @param jobId id of the job that will commit it
 * @throws PublishError, CatalogError
 */
export async function prepareVersion(
  { catalog, build }: PublishContext,
  job: PublishJob,
  jobId: string,
  report: ReportProgress,
): Promise<Preparation> {
  if (job.source === '') {
    const hint = 'Change the text, so that it no longer has what was purged, then publish it.'
    throw new CatalogError('purged_source', `The source of this job of ${job.slug} was purged`, hint)
  }
  const head = await catalog.packs.head(job.slug)
  const result = await findExistingVersion(catalog, job, jobId, head)
  if (result) return { result }
  const file = await loadJobSource(catalog, job)
  const parent = await loadParent(catalog, head)
  await report(10)
  const options = { bump: job.bump ?? undefined, rebuild: job.rebuild }
  const built = await build(file, parent, options)
  const { pack, settings, assumed, decision, messages } = built
  // Another version of this program may have added the job, and would read another slug from the same file.
  const hint = 'Run workers and producers of the same version, then publish again.'
  const other = `The job is about ${job.slug}, but its source is that of ${pack.slug}`
  if (pack.slug !== job.slug) throw new PublishError('invalid_job', other, hint)
  const changed = `The source of ${job.slug} has another digest than its job`
  if (built.sourceDigest !== job.source_digest) throw new PublishError('invalid_job', changed, hint)
  await report(80)
  const reference = toParentReference(head)
  return { prepared: { job, jobId, pack, settings, assumed, decision, parent: reference, messages } }
}

/** Decides the number against the current newest version, without building again. */
export async function rebaseVersion(
  catalog: Catalog,
  prepared: PreparedVersion,
  head: PackHead | undefined,
): Promise<PreparedVersion> {
  const { source } = readSource(await loadJobSource(catalog, prepared.job))
  const parent = await loadParent(catalog, head)
  const decision = decideVersion(source, parent, {
    bump: prepared.job.bump ?? undefined,
    rebuild: prepared.job.rebuild,
  })
  const pack = renumberPack(prepared.pack, decision.version)
  return { ...prepared, pack, decision, parent: toParentReference(head) }
}

function toParentReference(head: PackHead | undefined): PreparedVersion['parent'] {
  return head === undefined ? null : { version: head.version, digest: head.packDigest }
}

/** @throws PublishError `source_missing` */
async function loadJobSource(catalog: Catalog, job: PublishJob): Promise<SourceFile> {
  const file = await loadFile(catalog, job.source, job)
  if (file !== undefined) return file
  throw new PublishError(
    'source_missing',
    `The catalog has no source ${job.source.slice(0, 12)} for ${job.slug}`,
    'Point producers and workers at the same database, then publish again.',
  )
}

/**
 * Returns `undefined` if the catalog lacks the file.
 * @throws PublishError `source_missing` if its values from outside cannot be read
 */
async function loadFile(
  { sources }: Catalog,
  sha256: string,
  { path, given }: Pick<Provenance, 'path' | 'given'>,
): Promise<SourceFile | undefined> {
  const bytes = await sources.get(sha256)
  if (bytes === undefined) return undefined
  if (given === undefined) return { bytes, path }
  const tables = given.tables === undefined ? undefined : await sources.get(given.tables)
  return { bytes, path, defaults: restoreDefaults(given, tables) }
}

/** Without a source that is gone or can no longer be parsed. */
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

async function loadEarlierSource(catalog: Catalog, provenance: Provenance): Promise<Source | undefined> {
  try {
    const file = await loadFile(catalog, provenance.source_sha256, provenance)
    return file && readSource(file).source
  } catch (error) {
    if (error instanceof PublishError) return undefined
    throw error
  }
}
