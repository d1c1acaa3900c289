import { setTimeout } from 'node:timers/promises'
import { it, type TestContext } from 'vitest'
import { holdTransaction } from '../../../test-kit/test/hold-transaction.ts'
import { usePostgres } from '../../../test-kit/test/test-database.ts'
import { openSite } from './open-site.ts'
import { reportFigure, formatDuration } from './report-figure.ts'
import { waitUntil } from './wait-until.ts'
import { createRequest } from './create-requests.ts'
import {
  countLines,
  expectAllPublished,
  type Outage,
  PAUSED,
  QUEUE_AWAY,
  QUEUE_BACK,
  RESUMED,
  startPublishing,
} from './publish-through-outage.ts'

const server = await usePostgres()
const own = await usePostgres(true)

const JOBS = 150
const [DATABASE_AWAY_MS, REDIS_AWAY_MS] = [90_000, 30_000]
const LONG = { timeout: 600_000 }

it(
  'Postgres down for 90 s under load → workers wait, no attempt is used, each published once',
  LONG,
  async (context) => {
    const outage = await startPublishing(context, own, JOBS)
    await own.kill()
    await setTimeout(DATABASE_AWAY_MS)
    await own.start()
    await reportOutage(context, outage, [1, 1, 0, 0])
  },
)

it(
  'Redis down for 30 s under load → workers wait, no attempt is used, each published once',
  LONG,
  async (context) => {
    const outage = await startPublishing(context, own, JOBS)
    await outage.site.redis.kill()
    await setTimeout(REDIS_AWAY_MS)
    await outage.site.redis.start()
    await reportOutage(context, outage, [0, 0, 1, 1])
  },
)

it(
  'Postgres down for 90 s, and Redis for 30 s of it → workers wait, no attempt is used, each published once',
  LONG,
  async (context) => {
    const outage = await startPublishing(context, own, JOBS)
    await own.kill()
    await setTimeout(REDIS_AWAY_MS)
    await outage.site.redis.kill()
    await setTimeout(REDIS_AWAY_MS)
    await outage.site.redis.start()
    await setTimeout(DATABASE_AWAY_MS - 2 * REDIS_AWAY_MS)
    await own.start()
    await reportOutage(context, outage, [1, 1, 1, 1])
  },
)

/** @param lines of each worker: that the database is away and answers, and the queue */
async function reportOutage(context: TestContext, outage: Outage, lines: readonly number[]): Promise<void> {
  const back = performance.now()
  const again = await expectAllPublished(context, outage, JOBS)
  reportFigure(
    context,
    `${JOBS} of ${JOBS} published ${formatDuration(back)} after it was back, 0 failed, ${again} of them started again`,
  )
  for (const worker of outage.workers)
    context.expect(countLines(worker, PAUSED, RESUMED, QUEUE_AWAY, QUEUE_BACK)).toEqual(lines)
}

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
