import { it, type TestContext } from 'vitest'
import { holdSqliteLock } from '../../../test-kit/test/hold-transaction.ts'
import { openSite, type Site } from './open-site.ts'
import { reportFigure, formatDuration } from './report-figure.ts'
import { isRunning, type WorkerProcess } from './start-worker-process.ts'
import { waitUntil } from './wait-until.ts'
import { createLongRequest, createRequest, createRequests } from './create-requests.ts'

interface HeldJob {
  readonly id: string
  /** The worker that has built the job and waits to commit it. */
  readonly holder: WorkerProcess
  /** Lets commits continue. */
  readonly release: () => void
}

/** Publishes a source and blocks its commit. */
async function holdJob(site: Site, context: TestContext, deadline = 25): Promise<HeldJob> {
  const [queued] = await site.runner.publish([createRequest('held')])
  const id = queued!.job!
  const release = holdSqliteLock(site.databaseUrl)
  context.onTestFinished(release)
  const holder = site.startWorker({ deadline })
  await site.waitForJob(id, 80)
  return { id, holder, release }
}

it.concurrent('kill -9 a worker during a job → another worker finishes it', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const { id, holder, release } = await holdJob(site, context)
  const [child] = holder.findChildren()
  const killed = performance.now()
  holder.kill('SIGKILL')
  await waitUntil('the job process ends with its worker', () => !isRunning(child!))
  const childEnded = formatDuration(killed)
  release()
  const other = site.startWorker()
  await site.waitForJob(id, 'completed')
  const done = formatDuration(killed)
  expect(await site.countVersions('held')).toBe(1)
  expect(await site.catalog.sequence()).toBe(1)
  expect((await site.queue.queue.getJob(id))!.attemptsStarted).toBe(2)
  await other.waitForLine({ msg: 'job lost its worker, and goes to another' })
  reportFigure(context, `done by the other worker after ${done}; the job process ended after ${childEnded}`)
})

it.concurrent('kill -9 a worker during a build → its build process ends too', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const worker = site.startWorker()
  const [queued] = await site.runner.publish([createLongRequest('long')])
  await site.waitForJob(queued!.job!, 10)
  const [child] = worker.findChildren()
  expect(isRunning(child!)).toBe(true)
  const killed = performance.now()
  worker.kill('SIGKILL')
  await waitUntil('the build process ends with its worker', () => !isRunning(child!))
  reportFigure(context, `ended after ${formatDuration(killed)}`)
  expect((await site.queue.queue.getJob(queued!.job!))!.progress).toBe(10)
  expect(await site.catalog.packs.head('long')).toBeUndefined()
})

it.concurrent('kill -9 the child process of a job → detected at once, retried', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const { id, holder, release } = await holdJob(site, context)
  const killed = performance.now()
  process.kill(holder.findChildren()[0]!, 'SIGKILL')
  const failed = await holder.waitForLine({ msg: 'job failed', code: 'job_failed' })
  release()
  await site.waitForJob(id, 'completed')
  reportFigure(
    context,
    `detected after ${formatDuration(killed, failed.read)}, done after ${formatDuration(killed)}`,
  )
  expect(await site.countVersions('held')).toBe(1)
  expect((await site.queue.queue.getJob(id))!.attemptsStarted).toBe(2)
})

it.concurrent('poison job → failed after a limited number of starts, listed, other jobs continue', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const worker = site.startWorker()
  const [queued] = await site.runner.publish([createLongRequest('poison')])
  const others = await site.runner.publish(createRequests('other', 20))
  const began = performance.now()
  for (let attempt = 1; attempt <= 5; attempt++) {
    await worker.waitForLine({ msg: 'job started', slug: 'poison', attempt })
    const child = await waitUntil('the process of the poison job', () => worker.findChildren()[0])
    process.kill(child, 'SIGKILL')
    await worker.waitForLine({ msg: 'job failed', slug: 'poison', attempt })
  }
  await site.waitForJob(queued!.job!, 'failed')
  const failed = formatDuration(began)
  await waitUntil('the others are done', async () => (await site.count('completed')) === others.length)
  reportFigure(
    context,
    `failed after 5 starts in ${failed}; ${others.length} of ${others.length} other jobs done`,
  )
  expect(await site.queue.list(50)).toContainEqual({
    id: queued!.job,
    slug: 'poison',
    state: 'failed',
    at: expect.any(String),
    progress: expect.any(Number),
    attempts: 5,
    error: expect.stringMatching(/^job_failed: The job failed: /),
  })
  expect(await site.catalog.packs.head('poison')).toBeUndefined()
  expect(await site.catalog.sequence()).toBe(others.length)
})

it.concurrent('frozen worker resumes late → its commit changes nothing', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const { id, holder, release } = await holdJob(site, context)
  const frozen = performance.now()
  holder.killAll('SIGSTOP')
  release()
  const other = site.startWorker()
  await site.waitForJob(id, 'completed')
  const taken = formatDuration(frozen)
  const [next] = await site.runner.publish([createRequest('held', '# B\n\nOther text.\n')], { wait: true })
  expect(next).toMatchObject({ status: 'published', version: '2.0.0' })
  const children = holder.findChildren()
  holder.killAll('SIGCONT')
  holder.kill('SIGTERM')
  expect(await holder.ended).toBe(0)
  await waitUntil('its job processes end', () => !children.some((child) => isRunning(child)))
  const versions = await site.catalog.packs.versions('held')
  expect(versions.map(({ version }) => version)).toEqual(['2.0.0', '1.0.0'])
  expect(await site.catalog.sequence()).toBe(2)
  expect(await site.count('failed')).toBe(0)
  other.kill('SIGTERM')
  expect(await other.ended).toBe(0)
  reportFigure(
    context,
    `another worker did the job after ${taken}; resumed after two commits, the frozen one added none`,
  )
})

it.concurrent('SIGTERM under load → exits within the deadline, no job stalled', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const first = site.startWorker({ concurrency: 2 })
  await site.runner.publish(createRequests('load', 60))
  await first.waitForLine({ msg: 'job done' })
  const signalled = performance.now()
  first.kill('SIGTERM')
  expect(await first.ended).toBe(0)
  const ended = formatDuration(signalled)
  await first.waitForLine({ msg: 'worker ended' })
  const done = await site.count('completed')
  expect([await site.count('active'), await site.count('failed')]).toEqual([0, 0])
  expect(done + (await site.count('waiting'))).toBe(60)
  const second = site.startWorker({ concurrency: 2 })
  await waitUntil('all are done', async () => (await site.count('completed')) === 60)
  const starts = (await site.queue.queue.getCompleted()).map(({ attemptsStarted }) => attemptsStarted)
  expect(starts).toEqual(starts.map(() => 1))
  expect(await site.catalog.sequence()).toBe(60)
  expect([...first.lines, ...second.lines].map(({ msg }) => msg)).not.toContain(
    'job lost its worker, and goes to another',
  )
  reportFigure(
    context,
    `ended after ${ended} with ${done} of 60 done; another worker did the rest, each started once`,
  )
})

it.concurrent('SIGTERM during a job that takes too long → exits at the deadline', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const { holder } = await holdJob(site, context, 1)
  const [child] = holder.findChildren()
  const signalled = performance.now()
  holder.kill('SIGTERM')
  expect(await holder.ended).toBe(0)
  const ended = performance.now()
  await waitUntil('the job process ends with its worker', () => !isRunning(child!))
  expect(ended - signalled).toBeGreaterThanOrEqual(1000)
  expect(await site.catalog.sequence()).toBe(0)
  reportFigure(
    context,
    `deadline 1 s: ended after ${formatDuration(signalled, ended)}; the job was left to other workers`,
  )
})
