import { type Job, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { createJob } from '../../src/steps/job-result.ts'
import { acceptPublish } from '../../src/steps/accept-jobs.ts'
import { request, writeSource } from '../sources.ts'
import { openQueueSite } from './open-queue-site.ts'

const { catalog, runner, queue, startWorker } = await openQueueSite()
await startWorker()
const source = request(writeSource('known', '# A\n\nKnown words.\n'))
const [result] = await runner.publish([source], { wait: true })
const published = result!.job!
const { source_sha256 } = (await catalog.packs.provenance('known', '1.0.0'))!
const mallory = { kind: 'operator', id: 'mallory' }
/** Job data as an attacker writes them: the stored source of another pack, in another name. */
const forged = { ...createJob(source, undefined), kind: 'publish', source: source_sha256, actor: mallory }

async function waitForEnd(job: Job, id = job.id!): Promise<string> {
  for (;;) {
    const state = await queue.queue.getJobState(id)
    if (state === 'failed' || state === 'completed') return state
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const place = { queueName: 'publish', prefix: '{packs}' }
const add = (data: object, jobId: string, name = 'publish'): Promise<Job> =>
  queue.queue.add(name, { ...forged, ...data }, { jobId, attempts: 1 })
const addFlow = async (child: object, childId: string): Promise<Job> => {
  const children = [
    {
      ...place,
      name: 'member',
      data: { ...forged, kind: 'member', release: 'release-x', ...child },
      opts: { jobId: childId, failParentOnFailure: true },
    },
  ]
  return (
    await queue.flows.add({
      ...place,
      name: 'release',
      data: { kind: 'release', slug: 'r' },
      opts: { jobId: `release-${childId}` },
      children,
    })
  ).job
}

it.each<[string, () => Promise<Job>]>([
  ['a new slug with the source of another pack', () => add({ slug: 'payments' }, 'payments-1')],
  [
    'a pack of a title that was not given',
    () => add({ slug: 'known', given: { title: 'Official' } }, 'known-2'),
  ],
  ['another actor', () => add({ rebuild: true }, 'known-3')],
  ['a forged digest', () => add({ source_digest: 'f'.repeat(64), rebuild: true }, 'known-4')],
  ['a forged parent', () => add({ parent: '1.0.0', bump: 'major', rebuild: true }, 'known-5')],
  [
    'another path and commit',
    () => add({ path: 'evil.md', git_commit: 'e'.repeat(40), rebuild: true }, 'known-6'),
  ],
  ['another kind', () => add({ kind: 'release', slug: 'known' }, 'known-7', 'release')],
  ['no data', () => queue.queue.add('publish', {}, { jobId: 'known-8', attempts: 1 })],
  ['a forged member', () => addFlow({ rebuild: true }, 'known-9')],
  ['the id of a job in the name of a prototype', () => add({}, '__proto__')],
])('refuses %s', async (_what, attack) => {
  expect(await waitForEnd(await attack())).toBe('failed')
  expect(await catalog.sequence()).toBe(1)
  expect((await catalog.audit.list({ limit: 9 })).map(({ actor }) => actor.id)).not.toContain('mallory')
})

it('publishes nothing again when an old job is repeated, with other data too', async () => {
  const job = (await queue.queue.getJob(published))!
  await job.updateData({ ...forged, rebuild: true })
  await job.retry('completed')
  expect(await waitForEnd(job)).toBe('completed')
  await queue.queue.remove(published)
  expect(await waitForEnd(await add({ rebuild: true }, published))).toBe('completed')
  expect(await catalog.sequence()).toBe(1)
})

it('publishes what was accepted, whatever the data, kind and results of a queued job and of members say', async () => {
  const site = await openQueueSite()
  const [queued] = await site.runner.publish([request(writeSource('mine', '# Mine\n'))])
  const job = (await site.queue.queue.getJob(queued!.job!))!
  await job.updateData({ ...forged, kind: 'release', slug: 'other', source_digest: 'f'.repeat(64) })
  const requests = ['one', 'two'].map((slug) => request(writeSource(slug, `# ${slug}\n`)))
  const [member] = await site.runner.release('r', requests)
  // A worker of the attacker builds one member.
  const members = await site.catalog.jobs.members(member!.job!)
  const connection = new Redis(site.redisUrl, { maxRetriesPerRequest: null })
  const result = { result: { slug: 'one', status: 'published', version: '9.9.9', reasons: [] } }
  const evil = new Worker('publish', () => Promise.resolve(result), { connection, prefix: '{packs}' })
  await site.waitForJob(members[0]!.id, 'completed')
  await evil.close(true)
  connection.disconnect()
  await site.startWorker()
  const again = await site.runner.publish([request(writeSource('mine', '# Mine\n'))], { wait: true })
  expect(again).toMatchObject([{ slug: 'mine', status: 'published', version: '1.0.0' }])
  expect(await site.catalog.packs.head('one')).toBeUndefined()
  const published = (await site.catalog.audit.list({ limit: 9 })).map(({ target }) => target)
  expect(published).toEqual(['mine@1.0.0'])
})

it('does not say that something was published because Redis says so', async () => {
  const site = await openQueueSite()
  const source = request(writeSource('told', '# Told\n'))
  const done = site.runner.publish([source], { wait: true })
  const connection = new Redis(site.redisUrl, { maxRetriesPerRequest: null })
  const result = { slug: 'told', status: 'published', version: '1.0.0', reasons: [], code: null }
  const evil = new Worker('publish', () => Promise.resolve(result), { connection, prefix: '{packs}' })
  expect(await done).toMatchObject([{ status: 'failed', code: 'unknown_job', version: null }])
  await evil.close(true)
  connection.disconnect()
  // The catalog still has it, so publishing again runs it.
  await site.startWorker()
  expect(await site.runner.publish([source], { wait: true })).toMatchObject([{ status: 'published' }])
})

it('runs a job that the catalog has but Redis does not', async () => {
  const site = await openQueueSite()
  const source = request(writeSource('kept', '# Kept\n'))
  const job = { ...createJob(source, undefined), source: await site.catalog.sources.put(source.file.bytes) }
  const { id } = await acceptPublish(site.catalog, job, null)
  await site.startWorker()
  expect(await site.runner.publish([source], { wait: true })).toMatchObject([
    { status: 'published', job: id },
  ])
})
