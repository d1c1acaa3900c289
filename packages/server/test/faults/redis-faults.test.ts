import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { it, type TestContext } from 'vitest'
import { makeFolder, runPack } from '../../../test-kit/test/run-pack.ts'
import { openSite, type Site } from './open-site.ts'
import { reportFigure, formatDuration } from './report-figure.ts'
import { waitUntil } from './wait-until.ts'
import { createRequest, createRequests } from './create-requests.ts'

/** Opens a connection to change settings. */
function connectControl({ redis }: Site, { onTestFinished }: TestContext): Redis {
  const control = new Redis(redis.url)
  onTestFinished(() => control.disconnect())
  return control
}

it.concurrent('kill -9 Redis with AOF → no acknowledged job lost', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const worker = site.startWorker({ concurrency: 2 })
  await worker.waitForLine({ msg: 'waiting for jobs' })
  const requests = createRequests('kept', 150)
  const acknowledged = await site.runner.publish(requests)
  expect(new Set(acknowledged.map(({ status }) => status))).toEqual(new Set(['queued']))
  await site.redis.kill()
  await site.redis.start()
  const back = performance.now()
  await waitUntil(
    'all are done',
    async () => (await site.count('completed').catch(() => 0)) === requests.length,
  )
  expect(await site.catalog.sequence()).toBe(requests.length)
  expect(await site.count('failed')).toBe(0)
  const runs = (await site.queue.queue.getCompleted()).filter(({ attemptsStarted }) => attemptsStarted > 1)
  reportFigure(
    context,
    `150 of 150 acknowledged jobs done ${formatDuration(back)} after the restart; ${runs.length} started twice, each published once`,
  )
})

it.concurrent('publish while Redis is down → clear error at once', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const cwd = makeFolder({ 'away.md': '# Away\n' }, context.onTestFinished)
  await site.redis.kill()
  const start = performance.now()
  const [lost] = await site.runner.publish([createRequest('away')])
  const end = performance.now()
  expect(lost).toMatchObject({ status: 'failed', code: 'queue_unavailable' })
  const run = await runPack(['publish', 'away.md', '--json'], {
    cwd,
    env: { REDIS_URL: site.redis.url, DATABASE_URL: site.databaseUrl },
  })
  expect(run.status).toBe(5)
  expect(JSON.parse(run.stdout)).toMatchObject({ ok: false, error: { code: 'queue_unavailable' } })
  await site.redis.start()
  const [queued] = await waitUntil('Redis is connected again', async () => {
    const results = await site.runner.publish([createRequest('away')])
    return results[0]!.status === 'queued' ? results : undefined
  })
  expect(queued).toMatchObject({ status: 'queued' })
  reportFigure(
    context,
    `a running producer fails after ${formatDuration(start, end)}; \`pack publish\` exits with 5`,
  )
})

it.concurrent('Redis with an eviction policy → rejected at start', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const cwd = makeFolder({ 'away.md': '# Away\n' }, context.onTestFinished)
  await connectControl(site, context).config('SET', 'maxmemory-policy', 'allkeys-lru')
  const env = { REDIS_URL: site.redis.url, DATABASE_URL: site.databaseUrl }
  const runs = await Promise.all(
    [
      ['publish', 'away.md', '--json'],
      ['worker', '--json'],
    ].map((args) => runPack(args, { cwd, env })),
  )
  for (const { status, stdout } of runs) {
    expect(status).toBe(5)
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'queue_evicts' } })
  }
  expect(await site.catalog.sequence()).toBe(0)
  reportFigure(context, 'worker and publish exit with 5, `queue_evicts`')
})

it.concurrent('Redis out of memory → publish rejected with the reason, accepted jobs done later', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const control = connectControl(site, context)
  const used = Number(/^used_memory:(\d+)/m.exec(await control.info('memory'))![1])
  await control.config('SET', 'maxmemory', String(used + 500_000))
  const { accepted, refused } = await publishUntilRefused(site)
  expect(refused).toMatchObject({ status: 'failed', code: 'queue_full' })
  expect(refused.message).toBe('Redis accepts no jobs: its memory is full')
  const worker = site.startWorker({ concurrency: 2 })
  await worker.waitForLine({ code: 'queue_full' })
  await control.config('SET', 'maxmemory', '0')
  const freed = performance.now()
  await waitUntil('all accepted are done', async () => (await site.count('completed')) === accepted)
  reportFigure(
    context,
    `${accepted} accepted, the next rejected with \`queue_full\`; all done ${formatDuration(freed)} after memory was freed`,
  )
  expect(await site.catalog.sequence()).toBe(accepted)
  expect(await site.catalog.packs.head(refused.slug)).toBeUndefined()
})

it.concurrent('disk of Redis full → publish rejected with the reason, accepted jobs done later', async (context) => {
  const { expect } = context
  const site = await openSite(context)
  const control = connectControl(site, context)
  await site.runner.publish(createRequests('before', 20))
  await control.config('SET', 'save', '3600 1')
  const path = join(site.redis.folder, 'dump.rdb')
  mkdirSync(path)
  await saveInBackground(control, 'err')
  const [refused] = await site.runner.publish([createRequest('after')])
  expect(refused).toMatchObject({ status: 'failed', code: 'queue_full' })
  expect(refused!.message).toBe('Redis accepts no jobs: it cannot write to its disk')
  const worker = site.startWorker({ concurrency: 2 })
  await worker.waitForLine({ code: 'queue_full' })
  rmdirSync(path)
  await saveInBackground(control, 'ok')
  const freed = performance.now()
  await waitUntil('all accepted are done', async () => (await site.count('completed')) === 20)
  reportFigure(
    context,
    `20 accepted, the next rejected; all done ${formatDuration(freed)} after it could write again`,
  )
  expect(await site.catalog.sequence()).toBe(20)
})

/** Lets Redis save its data. This fails like on a full disk while a folder exists at the path of the file. */
async function saveInBackground(control: Redis, status: 'ok' | 'err'): Promise<void> {
  await control.bgsave()
  await waitUntil(`Redis has tried to write: ${status}`, async () => {
    const info = await control.info('persistence')
    return /^rdb_bgsave_in_progress:0/m.test(info) && info.includes(`rdb_last_bgsave_status:${status}`)
  })
}

async function publishUntilRefused(site: Site): Promise<{
  accepted: number
  refused: Awaited<ReturnType<Site['runner']['publish']>>[number]
}> {
  for (let accepted = 0; accepted < 2000; accepted++) {
    const [result] = await site.runner.publish([createRequest(`full-${accepted}`)])
    if (result!.status !== 'queued') return { accepted, refused: result! }
  }
  throw new Error('Redis accepted 2,000 jobs although its memory is limited')
}
