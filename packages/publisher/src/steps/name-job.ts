import { createHash } from 'node:crypto'
import type { PublishJob } from './job-data.ts'

/**
 * Names a job after what it does, so that asking twice gives one job; the parent is part of it, so that a roll-back to an
 * older source is another.
 */
export function nameJob(job: PublishJob): string {
  const { slug, source_digest, parent, bump, rebuild } = job
  return `${slug}-${hash([slug, source_digest, parent, bump, rebuild])}`
}

/** Names a release after its name and members, and its members after it. */
export function nameRelease(name: string, jobs: readonly PublishJob[]): string {
  const members = jobs.map((job) => nameJob(job)).toSorted()
  return `release-${hash([name, ...members])}`
}

export function nameMember(release: string, job: PublishJob): string {
  return `${job.slug}-${hash([release, nameJob(job)])}`
}

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}
