import { expect, it } from 'vitest'
import { retryJobs } from '../../src/queue/index.ts'
import { actor } from '../../../test-kit/test/make-version.ts'
import { request, writeSource } from '../sources.ts'
import { openQueueSite } from './open-queue-site.ts'

const source = (slug: string, fields = '') => request(writeSource(slug, `# ${slug}\n`, fields))
const wait = { wait: true }

it('puts all failed jobs back into the queue, also a release, and records who did it', async () => {
  const { catalog, runner, queue, startWorker, waitForJob } = await openQueueSite()
  const [queued] = await runner.publish([source('alone')])
  const [released] = await runner.release('r', [source('one'), source('two')])
  const ids = [queued!.job!, released!.job!]
  // No build can end in this time.
  const hasty = await startWorker({ buildSeconds: 0.001 })
  for (const id of ids) await waitForJob(id, 'failed')
  await hasty.drain(5000)
  expect(new Set(await retryJobs(catalog, queue, actor))).toEqual(new Set(ids))
  expect(await queue.find(ids[0]!)).toMatchObject({ state: 'waiting', attempts: 0 })
  expect(await queue.find(ids[1]!)).toMatchObject({ state: 'waiting-children' })
  expect(await catalog.jobs.get(ids[1]!)).toMatchObject({ state: 'waiting', result: null })
  await startWorker()
  for (const id of ids) await waitForJob(id, 'completed')
  for (const slug of ['alone', 'one', 'two'])
    expect(await catalog.packs.head(slug)).toMatchObject({ version: '1.0.0' })
  const entries = await catalog.audit.list({ action: 'job.retried', limit: 9 })
  expect(new Map(entries.map(({ target, details }) => [target, details['slug']]))).toEqual(
    new Map([
      [ids[0], 'alone'],
      [ids[1], 'r'],
    ]),
  )
  expect(entries.map((entry) => entry.actor)).toEqual([actor, actor])
  expect(await retryJobs(catalog, queue, actor)).toEqual([])
})

it('runs only the members of a release that are not built, and lets it fail again with them', async () => {
  const { catalog, runner, queue, startWorker, waitForJob } = await openQueueSite()
  const started: string[] = []
  await startWorker({
    onLine: ({ slug }, message) => message === 'job started' && started.push(String(slug)),
  })
  const failed = await runner.release('r', [source('good'), source('bad', 'budget: 1\n')], wait)
  expect(failed).toMatchObject([{ code: 'release_failed' }, { code: 'bad_source' }])
  const release = failed[0]!.job!
  await waitForJob(release, 'failed')
  const [good, bad] = (await catalog.jobs.members(release)).toSorted((a, b) => (a.slug < b.slug ? 1 : -1))
  await waitForJob(good!.id, 'completed')
  expect(await retryJobs(catalog, queue, actor, bad!.id)).toEqual([release])
  await waitForJob(release, 'failed')
  await expect.poll(() => catalog.jobs.get(release)).toMatchObject({ state: 'failed' })
  expect(started.toSorted()).toEqual(['bad', 'bad', 'good', 'r', 'r'])
  expect(await catalog.jobs.get(good!.id)).toEqual(good)
  expect(await catalog.packs.head('good')).toBeUndefined()
})

it('refuses a job that has not failed', async () => {
  const { catalog, runner, queue } = await openQueueSite()
  const [{ job } = { job: null }] = await runner.publish([source('waits')])
  await expect(retryJobs(catalog, queue, actor, job!)).rejects.toMatchObject({
    code: 'job_not_failed',
    message: `Job ${job} is waiting, not failed`,
  })
  expect(await catalog.audit.list({ action: 'job.retried', limit: 9 })).toEqual([])
})
