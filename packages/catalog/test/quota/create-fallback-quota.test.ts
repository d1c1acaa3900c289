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
import { startRedis, type TestRedis } from '../../../publisher/test/start-redis.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const TOMORROW = new Date('2026-03-02T12:00:00.000Z')

describe('createFallbackQuota', () => {
  let server: TestRedis
  let client: Redis
  let quota: Quota
  let events: FallbackEvent['kind'][]
  let clock: number

  beforeEach(async () => {
    // A setting asks for a server of its own, which is stopped and paused here.
    server = await startRedis(['--appendonly', 'no'])
    client = new Redis(server.url, { maxRetriesPerRequest: 0, retryStrategy: () => 20 })
    client.on('error', () => {})
    events = []
    clock = 0
    quota = createFallbackQuota(createRedisQuota(client), {
      onFallback: ({ kind }) => events.push(kind),
      timeoutMs: 150,
      clock: () => clock,
    })
  })
  afterEach(async () => {
    client.disconnect()
    await server.stop()
  })

  /** Stops the process of the server, as a network does that loses everything, until the function given is called. */
  const freeze = async (): Promise<() => void> => {
    const pid = Number(/^process_id:(\d+)/m.exec(await client.info('server'))?.[1])
    process.kill(pid, 'SIGSTOP')
    return () => process.kill(pid, 'SIGCONT')
  }

  const takeMany = async (account: Account, count: number, now = NOW): Promise<number> => {
    const states = await Promise.all(Array.from({ length: count }, () => quota.take(account, now)))
    return states.filter(({ allowed }) => allowed).length
  }

  it('does nothing while the store answers', async () => {
    expect(await takeMany(createAccount({ daily: 7 }), 20)).toBe(7)
    expect(events).toEqual([])
  })

  it.each([
    [{ daily: null, tier: 'free' }, 1],
    [{ daily: null, tier: 'pro' }, 100],
    [{ daily: 59, tier: 'free' }, 5],
    [{ daily: 3, tier: 'free' }, 1],
    [{ daily: 0, tier: 'pro' }, 0],
  ] as const)('grants %j a tenth of the allowance when the store is gone: %i', async (change, tenth) => {
    await server.stop()
    const account = createAccount(change)
    expect(await takeMany(account, 150)).toBe(tenth)
    expect(await quota.take(account, NOW)).toMatchObject({ used: tenth, remaining: 0, allowed: false })
    expect(await quota.peek(account, NOW)).toMatchObject({ used: tenth, remaining: 0, allowed: false })
    expect(await takeMany({ ...account, id: 'ac_other' }, 150)).toBe(tenth)
    expect(await takeMany(account, 150, TOMORROW)).toBe(tenth)
    expect(events.filter((kind) => kind === 'unreachable')).toHaveLength(1)
    expect(events.filter((kind) => kind === 'decided')).toHaveLength(452)
  })

  it('waits a bounded time for a store that hangs, once a second, and goes back to it', async () => {
    const account = createAccount({ tier: 'pro' })
    expect(await quota.take(account, NOW)).toMatchObject({ used: 1, remaining: 999 })
    const thaw = await freeze()
    expect(await takeMany(account, 50)).toBe(50)
    expect(await quota.take(account, NOW)).toMatchObject({ limit: 1000, used: 51, remaining: 49 })
    clock = 1000
    expect(await takeMany(account, 70)).toBe(49)
    expect(await quota.peek(account, NOW)).toMatchObject({ used: 100 })
    thaw()
    expect(await client.ping()).toBe('PONG')
    clock = 2500
    // One before, 51 that it was asked for while it hung and charges late, and this one.
    expect(await quota.take(account, NOW)).toMatchObject({ used: 53, remaining: 947, allowed: true })
    expect(events.filter((kind) => kind !== 'decided')).toEqual(['unreachable', 'reachable'])
  })

  it('goes back to a store that was started again', async () => {
    const account = createAccount({ daily: 20 })
    await takeMany(account, 3)
    const { port } = new URL(server.url)
    await server.stop()
    expect(await takeMany(account, 9)).toBe(2)
    server = await startRedis(['--port', port])
    await vi.waitFor(async () => expect(await client.ping()).toBe('PONG'), { timeout: 60_000 })
    expect(await quota.take(account, NOW)).toMatchObject({ used: 2, remaining: 0, allowed: false })
    clock = 1000
    expect(await quota.take(account, NOW)).toMatchObject({ used: 1, remaining: 19, allowed: true })
    expect(await takeMany(account, 30)).toBe(19)
    expect(events.filter((kind) => kind !== 'decided')).toEqual(['unreachable', 'reachable'])
  })

  it('says of what is refused when it may be granted: half a minute later, or on the next day', async () => {
    const account = createAccount({ daily: 1 })
    await takeMany(account, 1)
    expect(computeRetryAfter(await quota.take(account, NOW), NOW)).toBe(12 * 60 * 60)
    await server.stop()
    await takeMany(account, 1)
    expect(computeRetryAfter(await quota.take(account, NOW), NOW)).toBe(30)
    const last = new Date('2026-03-01T23:59:59.999Z')
    expect(computeRetryAfter(await quota.take(account, last), last)).toBe(1)
  })

  it('closes while the store hangs', async () => {
    await freeze()
    const taken = quota.take(createAccount({}), NOW)
    await quota.close()
    expect(await taken).toMatchObject({ allowed: true })
  })
})

function createAccount(change: Partial<Account>): Account {
  const base = { id: 'ac_ada', email: 'ada@example.org', tier: 'free', daily: null } as const
  return { ...base, created_at: '2026-01-01T00:00:00.000Z', ...change }
}
