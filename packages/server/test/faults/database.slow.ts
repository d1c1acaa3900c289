import { setTimeout } from 'node:timers/promises'
import { it } from 'vitest'
import { holdTransaction } from '../../../test-kit/test/hold-transaction.ts'
import { usePostgres } from '../../../test-kit/test/test-database.ts'
import { openSite } from './open-site.ts'
import { reportFigure, formatDuration } from './report-figure.ts'
import { waitUntil } from './wait-until.ts'
import { createRequest, createRequests } from './create-requests.ts'

const server = await usePostgres()
const control = await server.createDatabase()

const JOBS = 200
const AWAY_MS = 5000

it('database down for 5 s under load → all retried, each published once', async (context) => {
  const { expect } = context
  const site = await openSite(context, await server.createDatabase())
  const name = new URL(site.databaseUrl).pathname.slice(1)
  await site.runner.publish(createRequests('load', JOBS))
  site.startWorker({ concurrency: 2 })
  await waitUntil('20 are published', async () => (await site.catalog.sequence()) >= 20)
  await server.run(
    control,
    `alter database ${name} allow_connections false;
     select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  )
  await setTimeout(AWAY_MS)
  await server.run(control, `alter database ${name} allow_connections true`)
  const back = performance.now()
  await waitUntil('all are done', async () => (await site.count('completed')) === JOBS)
  const jobs = await site.queue.queue.getCompleted(0, -1)
  const again = jobs.filter(({ attemptsStarted }) => attemptsStarted > 1).length
  reportFigure(
    context,
    `all ${JOBS} done ${formatDuration(back)} after it was back, ${again} of them restarted`,
  )
  expect(again).toBeGreaterThan(0)
  expect(await site.catalog.sequence()).toBe(JOBS)
  expect(await site.count('failed')).toBe(0)
})

it('worker frozen during a commit → its transaction ends, another worker publishes once', async (context) => {
  const { expect } = context
  const site = await openSite(context, await server.createDatabase())
  const [queued] = await site.runner.publish([createRequest('held')])
  const held = await holdTransaction(site.databaseUrl, 'lock table versions in share mode')
  context.onTestFinished(() => held.release())
  const holder = site.startWorker()
  const waiting = `select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'packs' and wait_event_type = 'Lock'`
  await waitUntil('the commit is under way', async () => (await held.ask(waiting)).length > 0)
  const frozen = performance.now()
  holder.killAll('SIGSTOP')
  await held.release()
  const other = site.startWorker()
  await site.waitForJob(queued!.job!, 'completed')
  const done = formatDuration(frozen)
  expect(other.lines.map(({ code }) => code)).toContain('catalog_unavailable')
  holder.killAll('SIGCONT')
  holder.kill('SIGTERM')
  expect(await holder.ended).toBe(0)
  expect(await site.countVersions('held')).toBe(1)
  expect(await site.catalog.sequence()).toBe(1)
  reportFigure(
    context,
    `another worker published it after ${done}; when resumed, the frozen one added nothing`,
  )
})
