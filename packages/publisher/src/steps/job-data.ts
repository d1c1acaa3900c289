import { createHash } from 'node:crypto'
import type { Actor, SourceDefaultsRecord } from '@packs/catalog'

/** A publish as the catalog records it: references to texts, never the texts. */
export interface PublishJob {
  readonly slug: string
  /** Key of the source bytes in the catalog. */
  readonly source: string
  readonly source_digest: string
  /** From outside of the file. The source digest and the job's id cover them. */
  readonly given?: SourceDefaultsRecord
  readonly path: string
  readonly git_commit: string | null
  readonly bump: 'patch' | 'minor' | 'major' | null
  readonly rebuild: boolean
  /** The newest version when the job was created. */
  readonly parent: string | null
  /** Who published it. It is not part of the job's id. */
  readonly actor: Actor
}

/**
 * What it follows is part of its id, so that a roll-back to an older source is a different job.
 * @param after the newest version, or the unfinished job of the pack that was accepted last
 */
export function deriveJobId(job: PublishJob, after: string | null = job.parent): string {
  const { slug, source_digest, bump, rebuild } = job
  return `${slug}-${hash([slug, source_digest, after, bump, rebuild])}`
}

export function deriveReleaseId(name: string, members: readonly string[]): string {
  return `release-${hash([name, ...members.toSorted()])}`
}

export function deriveMemberId(release: string, job: PublishJob): string {
  return `${job.slug}-${hash([release, deriveJobId(job)])}`
}

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
