import type { PublishResult } from '@packs/publisher'
import type { TestContext } from 'vitest'
import type { TestPostgres } from '../../../test-kit/test/start-postgres.ts'
import { createRequests } from './create-requests.ts'
import { openSite, type Site } from './open-site.ts'
import type { WorkerProcess } from './start-worker-process.ts'
import { waitUntil } from './wait-until.ts'

export const PAUSED = 'the database is away: taking no jobs until it answers'
export const RESUMED = 'the database answers: taking jobs again'
export const QUEUE_AWAY = 'the queue cannot be reached, or refuses'
export const QUEUE_BACK = 'the queue can be used again'

export interface Outage {
  readonly site: Site
  readonly workers: readonly WorkerProcess[]
  /** Results of all sources, as `pack publish --wait` gets them. */
  readonly results: Promise<readonly PublishResult[]>
}

/** Publishes sources with two workers, up to the moment when a fifth of them is published. */
export async function startPublishing(
  context: TestContext,
  postgres: TestPostgres,
  count: number,
): Promise<Outage> {
  const site = await openSite(context, await postgres.createDatabase())
  const requests = createRequests('kept', count)
  await site.runner.publish(requests)
  const waits = Promise.withResolvers<void>()
  const results = site.runner.publish(requests, { wait: true, onProgress: () => waits.resolve() })
  await waits.promise
  const workers = [1, 2].map(() => site.startWorker())
  await waitUntil('some are published', async () => (await site.catalog.sequence()) >= count / 5)
  return { site, workers, results }
}

/** Checks that all are published once, by attempts that none of the outages cost. Returns how many started again. */
export async function expectAllPublished(
  { expect }: TestContext,
  { site, results }: Outage,
  count: number,
): Promise<number> {
  const all = await results
  expect(all.filter(({ status, version }) => status !== 'published' || version !== '1.0.0')).toEqual([])
  expect(await site.catalog.sequence()).toBe(count)
  await waitUntil('the queue has heard of all', async () => (await site.count('completed')) === count)
  const jobs = await site.queue.queue.getCompleted(0, -1)
  expect(jobs.filter(({ attemptsMade }) => attemptsMade !== 1)).toEqual([])
  return jobs.filter(({ attemptsStarted }) => attemptsStarted > 1).length
}

/** Counts lines of a worker's log. */
export function countLines({ lines }: WorkerProcess, ...messages: readonly string[]): number[] {
  return messages.map((message) => lines.filter(({ msg }) => msg === message).length)
}
