import {
  computeRetryAfter,
  createFallbackQuota,
  createRedisQuota,
  type Account,
  type FallbackEvent,
  type Quota,
} from '@packs/catalog'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeAccount } from '../../../test-kit/test/make-version.ts'
import { startOwnRedis, type OwnRedis } from '../../../test-kit/test/start-redis.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const TOMORROW = new Date('2026-03-02T12:00:00.000Z')

describe('createFallbackQuota', () => {
  let server: OwnRedis
  let client: Redis
  let quota: Quota
  let events: FallbackEvent['kind'][]
  let clock: number

  beforeEach(async () => {
    server = await startOwnRedis()
    client = new Redis(server.url, { maxRetriesPerRequest: 0, retryStrategy: () => 20 })
    client.on('error', () => {})
    events = []
    clock = 0
    quota = openQuota(60_000)
  })
  afterEach(() => client.disconnect())

  /** @param timeoutMs a store that answers may need long on a busy machine */
  const openQuota = (timeoutMs: number): Quota =>
    createFallbackQuota(createRedisQuota(client), {
      onFallback: ({ kind }) => events.push(kind),
      timeoutMs,
      clock: () => clock,
    })

  /** Pauses the server process, like a network that drops all packets. Returns a function that resumes it. */
  const pauseServer = async (): Promise<() => void> => {
    const pid = Number(/^process_id:(\d+)/m.exec(await client.info('server'))?.[1])
    process.kill(pid, 'SIGSTOP')
    return () => process.kill(pid, 'SIGCONT')
  }

  const takeMany = async (account: Account, count: number, now = NOW): Promise<number> => {
    const states = await Promise.all(Array.from({ length: count }, () => quota.take(account, now)))
    return states.filter(({ allowed }) => allowed).length
  }

  it('does nothing while the store answers', async () => {
    expect(await takeMany(makeAccount({ daily: 7 }), 20)).toBe(7)
    expect(events).toEqual([])
  })

  it.each([
    [{ daily: null, tier: 'free' }, 1],
    [{ daily: null, tier: 'pro' }, 100],
    [{ daily: 59, tier: 'free' }, 5],
    [{ daily: 3, tier: 'free' }, 1],
    [{ daily: 0, tier: 'pro' }, 0],
  ] as const)('grants %j a tenth of the limit while the store is unreachable: %i', async (change, tenth) => {
    await server.kill()
    const account = makeAccount(change)
    expect(await takeMany(account, 150)).toBe(tenth)
    expect(await quota.take(account, NOW)).toMatchObject({ used: tenth, remaining: 0, allowed: false })
    expect(await quota.peek(account, NOW)).toMatchObject({ used: tenth, remaining: 0, allowed: false })
    expect(await takeMany({ ...account, id: 'ac_other' }, 150)).toBe(tenth)
    expect(await takeMany(account, 150, TOMORROW)).toBe(tenth)
    expect(events.filter((kind) => kind === 'unreachable')).toHaveLength(1)
    expect(events.filter((kind) => kind === 'decided')).toHaveLength(452)
  })

  it('charges several requests together or not at all while the store is unreachable', async () => {
    await server.kill()
    const account = makeAccount({ daily: 100 })
    const taken = await Promise.all([6, 5, 3, 1, 1].map((size) => quota.take(account, NOW, size)))
    expect(taken.map(({ allowed, used }) => [allowed, used])).toEqual([
      [true, 6],
      [false, 6],
      [true, 9],
      [true, 10],
      [false, 10],
    ])
  })

  it('waits a limited time for a stuck store, once a second, and uses it again later', async () => {
    quota = openQuota(1000)
    const account = makeAccount({ tier: 'pro' })
    expect(await quota.take(account, NOW)).toMatchObject({ used: 1, remaining: 999 })
    const resume = await pauseServer()
    expect(await takeMany(account, 50)).toBe(50)
    expect(await quota.take(account, NOW)).toMatchObject({ limit: 1000, used: 51, remaining: 49 })
    clock = 1000
    expect(await takeMany(account, 70)).toBe(49)
    expect(await quota.peek(account, NOW)).toMatchObject({ used: 100 })
    resume()
    expect(await client.ping()).toBe('PONG')
    clock = 2500
    // One before the pause, 51 sent during the pause and charged late, and this one.
    expect(await quota.take(account, NOW)).toMatchObject({ used: 53, remaining: 947, allowed: true })
    expect(events.filter((kind) => kind !== 'decided')).toEqual(['unreachable', 'reachable'])
  })

  it('uses a restarted store again', async () => {
    const account = makeAccount({ daily: 20 })
    await takeMany(account, 3)
    await server.kill()
    expect(await takeMany(account, 9)).toBe(2)
    await server.start()
    await vi.waitFor(async () => expect(await client.ping()).toBe('PONG'), { timeout: 60_000 })
    expect(await quota.take(account, NOW)).toMatchObject({ used: 2, remaining: 0, allowed: false })
    clock = 1000
    expect(await quota.take(account, NOW)).toMatchObject({ used: 1, remaining: 19, allowed: true })
    expect(await takeMany(account, 30)).toBe(19)
    expect(events.filter((kind) => kind !== 'decided')).toEqual(['unreachable', 'reachable'])
  })

  it('retries rejected requests after half a minute or on the next day', async () => {
    const account = makeAccount({ daily: 1 })
    await takeMany(account, 1)
    expect(computeRetryAfter(await quota.take(account, NOW), NOW)).toBe(12 * 60 * 60)
    await server.kill()
    await takeMany(account, 1)
    expect(computeRetryAfter(await quota.take(account, NOW), NOW)).toBe(30)
    const last = new Date('2026-03-01T23:59:59.999Z')
    expect(computeRetryAfter(await quota.take(account, last), last)).toBe(1)
  })

  it('closes while the store is stuck', async () => {
    quota = openQuota(1000)
    await pauseServer()
    const taken = quota.take(makeAccount({}), NOW)
    await quota.close()
    expect(await taken).toMatchObject({ allowed: true })
  })
})
