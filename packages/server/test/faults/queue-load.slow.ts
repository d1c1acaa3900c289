import { setTimeout } from 'node:timers/promises'
import type { PublishResult } from '@packs/publisher'
import { Redis } from 'ioredis'
import { it, type ExpectStatic } from 'vitest'
import { openSite, type Site } from './open-site.ts'
import { reportFigure, formatDuration } from './report-figure.ts'
import { waitUntil } from './wait-until.ts'
import { createRequest, createRequests } from './create-requests.ts'

const JOBS = 1000
const AWAY_MS = 12_000

/** Queues 1,000 publishes, waits for them like `pack publish --wait`, and starts two workers. */
async function publishMany(site: Site): Promise<{ readonly results: Promise<readonly PublishResult[]> }> {
  const requests = createRequests('many', JOBS)
  await site.runner.publish(requests)
  const waits = Promise.withResolvers<void>()
  const results = site.runner.publish(requests, { wait: true, onProgress: () => waits.resolve() })
  await waits.promise
  for (const _ of [1, 2]) site.startWorker({ concurrency: 2 })
  return { results }
}

async function waitForCommits({ catalog }: Site, count: number): Promise<void> {
  await waitUntil(`${count} are published`, async () => (await catalog.sequence()) >= count)
}

/** Checks that all are published once. Returns the number of jobs started more than once. */
async function expectAllOnce(
  expect: ExpectStatic,
  site: Site,
  results: readonly PublishResult[],
): Promise<number> {
  const { catalog, queue } = site
  expect(results.filter(({ version }) => version !== '1.0.0')).toEqual([])
  expect(await catalog.sequence()).toBe(JOBS)
  await waitUntil('the queue has heard of all', async () => (await site.count('completed')) === JOBS)
  const jobs = await queue.queue.getCompleted(0, -1)
  expect(jobs).toHaveLength(JOBS)
  return jobs.filter(({ attemptsStarted }) => attemptsStarted > 1).length
}

it('Redis down for 12 s → nothing lost, resumes by itself, each published once', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const { results } = await publishMany(site)
  await waitForCommits(site, 200)
  await site.redis.kill()
  await setTimeout(AWAY_MS)
  const before = await site.catalog.sequence()
  await site.redis.start()
  const back = performance.now()
  await waitForCommits(site, before + 1)
  const resumed = formatDuration(back)
  const twice = await expectAllOnce(expect, site, await results)
  reportFigure(
    context,
    `resumed ${resumed} after it was back; ${JOBS} of ${JOBS} published once, ${twice} started twice`,
  )
})

it('all connections closed 5 times → 1,000 of 1,000 published once', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const control = new Redis(site.redis.url)
  context.onTestFinished(() => control.disconnect())
  const { results } = await publishMany(site)
  const cut: number[] = []
  for (const commits of [150, 300, 450, 600, 750]) {
    await waitForCommits(site, commits)
    cut.push(Number(await control.call('CLIENT', 'KILL', 'TYPE', 'normal')))
  }
  expect(cut.every((connections) => connections >= 5)).toBe(true)
  const twice = await expectAllOnce(expect, site, await results)
  reportFigure(
    context,
    `${cut.join(', ')} connections closed; ${JOBS} of ${JOBS} published once, ${twice} started twice`,
  )
})

it('1,000 copies of a job under ids that were not accepted → refused, one version', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const [queued] = await site.runner.publish([createRequest('same')])
  const job = (await site.queue.queue.getJob(queued!.job!))!
  const copies = Array.from({ length: JOBS }, (_, at) => ({
    name: job.name,
    data: job.data as unknown,
    opts: { jobId: `copy-${at}` },
  }))
  await site.queue.queue.addBulk(copies)
  const began = performance.now()
  for (const _ of [1, 2]) site.startWorker({ concurrency: 2 })
  await waitUntil('all are refused', async () => (await site.count('failed')) === copies.length)
  reportFigure(context, `one version; ${copies.length} copies refused in ${formatDuration(began)}`)
  await site.waitForJob(queued!.job!, 'completed')
  expect(await site.countVersions('same')).toBe(1)
  expect(await site.catalog.sequence()).toBe(1)
  for (const { failedReason } of await site.queue.queue.getFailed())
    expect(failedReason).toMatch(/^invalid_job: /)
})

it('poison job that kills its worker → failed after four starts, other jobs continue', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const [poison] = await site.runner.publish([createRequest('poison')])
  const id = poison!.job!
  for (const start of [1, 2, 3, 4]) {
    const worker = site.startWorker()
    await worker.waitForLine({ msg: 'job started', slug: 'poison', attempt: start })
    worker.killAll('SIGKILL')
    await worker.ended
  }
  expect(await site.catalog.sequence()).toBe(0)
  const killed = performance.now()
  site.startWorker()
  await site.waitForJob(id, 'failed')
  const failed = formatDuration(killed)
  const [other] = await site.runner.publish([createRequest('other')], { wait: true })
  expect(other).toMatchObject({ status: 'published' })
  expect(await site.queue.find(id)).toMatchObject({ error: expect.stringMatching(/^job_stalled: /) })
  expect(await site.catalog.packs.head('poison')).toBeUndefined()
  reportFigure(
    context,
    `failed ${failed} after the fourth start, listed by \`pack jobs\`; the next job was done`,
  )
})
