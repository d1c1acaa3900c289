import type { BuildSettings, Catalog, PackHead } from '@packs/catalog'
import type { Pack } from '@packs/codec/pack'
import { buildVersion, readSource, renumberPack } from '../version-builder/build-version.ts'
import { decideVersion, type VersionDecision } from '../version-builder/decide-version.ts'
import type { SourceMessage } from '../publish-error.ts'
import type { PublishResult } from '../runner.ts'
import type { PublishJob } from './job-data.ts'
import { findSettled, loadParent, loadSource } from './standing.ts'

/** A version that only has to be committed. */
export interface PreparedVersion {
  readonly job: PublishJob
  /** The job that commits it. */
  readonly jobId: string
  readonly pack: Pack
  readonly settings: BuildSettings
  readonly decision: VersionDecision
  /** What it was decided against. */
  readonly parent: { readonly version: string; readonly digest: string } | null
  readonly messages: readonly SourceMessage[]
}

/** A job that is ready to be committed, or that has its result already. */
export type Preparation = { readonly prepared: PreparedVersion } | { readonly result: PublishResult }

/** Hears of percents of a job done. */
export type Report = (percent: number) => void | Promise<void>

/**
 * Builds the version of a job against the newest one. Takes nearly all the time of a publish.
 *
 * @param jobId the job that will commit it
 * @throws PublishError, CatalogError
 */
export async function prepareVersion(
  catalog: Catalog,
  job: PublishJob,
  jobId: string,
  report: Report,
): Promise<Preparation> {
  const head = await catalog.packs.head(job.slug)
  const result = await findSettled(catalog, job, jobId, head)
  if (result) return { result }
  const file = await loadSource(catalog, job)
  const parent = await loadParent(catalog, head)
  await report(10)
  const options = { bump: job.bump ?? undefined, rebuild: job.rebuild }
  const { pack, settings, decision, messages } = await buildVersion(file, parent, options)
  await report(80)
  return { prepared: { job, jobId, pack, settings, decision, parent: pickParent(head), messages } }
}

/** Decides the number of a prepared version again, against the newest version of now; its build stays. */
export async function decideAgain(
  catalog: Catalog,
  prepared: PreparedVersion,
  head: PackHead | undefined,
): Promise<PreparedVersion> {
  const { source } = readSource(await loadSource(catalog, prepared.job))
  const parent = await loadParent(catalog, head)
  const decision = decideVersion(source, parent, {
    bump: prepared.job.bump ?? undefined,
    rebuild: prepared.job.rebuild,
  })
  const pack = renumberPack(prepared.pack, decision.version)
  return { ...prepared, pack, decision, parent: pickParent(head) }
}

function pickParent(head: PackHead | undefined): PreparedVersion['parent'] {
  return head === undefined ? null : { version: head.version, digest: head.packDigest }
}
