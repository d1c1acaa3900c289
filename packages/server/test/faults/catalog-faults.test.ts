import { it, type TestContext } from 'vitest'
import { holdTransaction, type HeldTransaction } from '../../../test-kit/test/hold-transaction.ts'
import { usePostgres } from '../../../test-kit/test/test-database.ts'
import { loadQueue } from '@packs/publisher'
import { openSite } from './open-site.ts'
import { reportFigure, formatDuration } from './report-figure.ts'
import { waitUntil } from './wait-until.ts'
import { PAUSED } from './publish-through-outage.ts'
import { createRequest } from './create-requests.ts'

const { createQueueRunner } = await loadQueue()

const server = await usePostgres()

/** Selects the connections that wait for a lock during a commit. */
const WAITING = `select pid from pg_stat_activity
  where datname = current_database() and application_name = 'packs' and wait_event_type = 'Lock'`

it('database connection lost during a commit → no attempt used, no partial write', async (context) => {
  const { expect } = context
  const site = await openSite(context, await server.createDatabase())
  const [queued] = await site.runner.publish([createRequest('held')])
  // A commit writes its pack first, then waits for this lock.
  const held = await hold(site.databaseUrl, context)
  const worker = site.startWorker()
  await waitUntil('the commit is under way', async () => (await held.ask(WAITING)).length > 0)
  const cut = performance.now()
  await held.ask(`select pg_terminate_backend(pid) from (${WAITING}) waiting`)
  const lost = await worker.waitForLine({ msg: PAUSED, code: 'catalog_unavailable' })
  const rows = await held.ask(
    'select (select count(*)::int from packs) as packs, sequence::int from catalog_state',
  )
  expect(rows).toEqual([{ packs: 0, sequence: 0 }])
  await held.release()
  await site.waitForJob(queued!.job!, 'completed')
  reportFigure(
    context,
    `detected after ${formatDuration(cut, lost.read)}, nothing written; published by the next start after ${formatDuration(cut)}`,
  )
  expect(await site.queue.queue.getJob(queued!.job!)).toMatchObject({ attemptsStarted: 2, attemptsMade: 1 })
  expect(await site.countVersions('held')).toBe(1)
  expect(await site.catalog.sequence()).toBe(1)
})

async function hold(url: string, context: TestContext): Promise<HeldTransaction> {
  const held = await holdTransaction(url, 'lock table versions in share mode')
  context.onTestFinished(() => held.release())
  return held
}

it('1,000 equal publishes in parallel → one version', async (context) => {
  const { expect } = context
  // A busy machine takes long to ask the same ten connections 1,000 times.
  const site = await openSite(context, await server.createDatabase(), { lockTimeout: 120_000 })
  const others = await Promise.all([1, 2, 3].map(() => createQueueRunner(site.catalog, site.redis.url)))
  context.onTestFinished(async () => void (await Promise.all(others.map((runner) => runner.close()))))
  const runners = [site.runner, ...others]
  for (const _ of [1, 2]) site.startWorker({ concurrency: 1 })
  const began = performance.now()
  const source = createRequest('same')
  const results = await Promise.all(
    Array.from({ length: 1000 }, (_, at) => runners[at % runners.length]!.publish([source])),
  )
  const [last] = await site.runner.publish([source], { wait: true })
  reportFigure(context, `one version from 1,000 publishes by 4 producers after ${formatDuration(began)}`)
  expect(results.flat().filter(({ code }) => code !== null)).toEqual([])
  expect(last).toMatchObject({ version: '1.0.0', code: null })
  expect(await site.countVersions('same')).toBe(1)
  expect(await site.catalog.sequence()).toBe(1)
})
