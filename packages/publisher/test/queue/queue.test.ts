import type { PublishError } from '@packs/publisher'
import { createQueueRunner, openQueue, startWorker } from '../../src/queue/index.ts'
import type { RunningWorker, WorkerLog } from '@packs/publisher'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openTestCatalog, request, writeSource } from '../sources.ts'
import { silentLog } from './open-queue-site.ts'
import { startOwnRedis, startRedis } from '../../../test-kit/test/start-redis.ts'

const TEXT = '# A\n\nSome undisclosed words.\n'

const redis = await startRedis()

async function startTestWorker(databaseUrl: string, lines: string[] = []): Promise<RunningWorker> {
  const write = (fields: Readonly<Record<string, unknown>>, message: string): void =>
    void lines.push(JSON.stringify({ ...fields, message }))
  const log: WorkerLog = { info: write, warn: write, error: write }
  const worker = await startWorker({ redisUrl: redis.url, databaseUrl, concurrency: 1, log })
  onTestFinished(async () => void (await worker.drain(5000)))
  return worker
}

describe('the queue', () => {
  it('keeps publishes until a worker starts, lists them, and logs no text of packs', async () => {
    const { catalog, url } = await openTestCatalog()
    const runner = await createQueueRunner(catalog, redis.url)
    const queue = await openQueue(redis.url)
    onTestFinished(() => queue.close())
    onTestFinished(() => runner.close())
    const noted = Promise.withResolvers<string>()
    const [queued] = await runner.publish([request(writeSource('kept', TEXT))])
    expect(queued).toMatchObject({ status: 'queued', version: null, job: expect.stringMatching(/^kept-/) })
    expect(await queue.find(queued!.job!)).toMatchObject({
      slug: 'kept',
      state: 'waiting',
      attempts: 0,
      error: null,
    })
    const figures = await queue.measure(Date.now() + 60_000)
    expect(figures).toMatchObject({ jobs: { waiting: 1, active: 0 }, workers: 0 })
    expect(figures.oldestWait).toBeGreaterThanOrEqual(60_000)

    const done = runner.publish([request(writeSource('kept', TEXT))], { wait: true, onNote: noted.resolve })
    expect(await noted.promise).toBe('no worker is running; start one with `pack worker`')
    const lines: string[] = []
    await startTestWorker(url, lines)
    expect(await done).toMatchObject([{ status: 'published', version: '1.0.0', job: queued!.job }])
    expect(await queue.list(10)).toMatchObject([
      { slug: 'kept', state: 'completed', progress: 100, attempts: 1 },
    ])

    const bad = request(writeSource('bad', TEXT, 'budget: 1\n'))
    const [first] = await runner.publish([bad], { wait: true })
    expect(first).toMatchObject({ status: 'failed', code: 'bad_source' })
    // The catalog has the failure before the worker hears of it.
    await vi.waitUntil(() => lines.some((line) => line.includes('bad_source')), { timeout: 30_000 })
    expect(lines.join('\n')).not.toMatch(/undisclosed|redis:\/\//)

    // Publishing again runs the failed job again, with all its attempts.
    const [second] = await runner.publish([bad], { wait: true })
    expect(second).toMatchObject({ status: 'failed', code: 'bad_source', job: first!.job })
    await expect
      .poll(() => queue.find(first!.job!), { timeout: 30_000 })
      .toMatchObject({ state: 'failed', attempts: 1 })
  })

  it('counts the progress of the members of a release', async () => {
    const { catalog, url } = await openTestCatalog()
    const runner = await createQueueRunner(catalog, redis.url)
    onTestFinished(() => runner.close())
    const heard: number[] = []
    const isWaiting = Promise.withResolvers<void>()
    // The second takes long enough to hear of the first.
    const texts = [TEXT, `${TEXT}\n`.repeat(10_000)]
    const requests = texts.map((text, at) => request(writeSource(`part-${at}`, text)))
    const done = runner.release('parts', requests, {
      wait: true,
      onProgress(percent) {
        heard.push(percent)
        isWaiting.resolve()
      },
    })
    await isWaiting.promise
    await startTestWorker(url)
    expect(await done).toMatchObject([{ status: 'published' }, { status: 'published' }])
    expect([heard[0], heard.at(-1)]).toEqual([0, 100])
    expect(heard).toContain(50)
  })

  it('publishes again a completed job whose version is not in the catalog', async () => {
    const { catalog, url } = await openTestCatalog()
    const { catalog: restored, url: restoredUrl } = await openTestCatalog()
    const source = request(writeSource('lost', TEXT))
    for (const [target, targetUrl] of [
      [catalog, url],
      [restored, restoredUrl],
    ] as const) {
      const runner = await createQueueRunner(target, redis.url)
      const worker = await startTestWorker(targetUrl)
      expect(await runner.publish([source], { wait: true })).toMatchObject([
        { status: 'published', version: '1.0.0' },
      ])
      await worker.drain(5000)
      await runner.close()
    }
    expect(await restored.packs.versions('lost')).toHaveLength(1)
  })
})

describe('an unusable Redis', () => {
  it('rejects the password or requires one: the error does not contain it', async () => {
    const own = await startOwnRedis(['--requirepass', 'right-one'])
    const { catalog } = await openTestCatalog()
    const connect = async (credentials: string): Promise<unknown> => {
      const url = own.url.replace('redis://', `redis://${credentials}`)
      return createQueueRunner(catalog, url).catch((thrown: unknown) => thrown)
    }
    const hint = expect.stringMatching(/^Correct user and password in REDIS_URL/)
    const wrong = await connect('default:wrong-one@')
    expect(wrong).toMatchObject({
      code: 'queue_unavailable',
      message: 'Redis rejected the user or password (WRONGPASS)',
      hint,
    })
    expect(`${(wrong as Error).message}${(wrong as PublishError).hint}`).not.toMatch(/wrong-one|right-one/)
    expect(await connect('')).toMatchObject({
      code: 'queue_unavailable',
      message: 'Redis requires a password, and got none (NOAUTH)',
      hint,
    })
  })

  it.each([
    ['is unreachable', 'redis://user:hush@127.0.0.1:1', 'queue_unavailable'],
    ['has an HTTP address', 'http://user:hush@127.0.0.1', 'invalid_redis_url'],
    ['has an address that is not a URL', 'hush', 'invalid_redis_url'],
  ])('%s', async (_, url, code) => {
    const { catalog, url: databaseUrl } = await openTestCatalog()
    for (const start of [
      () => createQueueRunner(catalog, url),
      () => startWorker({ redisUrl: url, databaseUrl, concurrency: 1, log: silentLog }),
    ]) {
      const error = await start().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ name: 'PublishError', code, hint: expect.any(String) })
      expect((error as Error).message).not.toContain('hush')
    }
  })

  it('evicts keys, or is full', async () => {
    const cache = await startOwnRedis(['--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru'])
    await expect(openQueue(cache.url)).rejects.toMatchObject({ code: 'queue_evicts' })
    const control = new Redis(cache.url)
    await control.config('SET', 'maxmemory-policy', 'noeviction')
    const { catalog } = await openTestCatalog()
    const runner = await createQueueRunner(catalog, cache.url)
    onTestFinished(() => runner.close())
    await control.config('SET', 'maxmemory', '1')
    control.disconnect()
    const [full] = await runner.publish([request(writeSource('full', TEXT))])
    expect(full).toMatchObject({ status: 'failed', code: 'queue_full' })
  })

  it('stops while a producer runs, which fails at once', async () => {
    const own = await startOwnRedis()
    const { catalog } = await openTestCatalog()
    const runner = await createQueueRunner(catalog, own.url)
    await own.kill()
    const [lost] = await runner.publish([request(writeSource('gone', TEXT))])
    expect(lost).toMatchObject({ status: 'failed', code: 'queue_unavailable' })
    await runner.close()
  })
})
