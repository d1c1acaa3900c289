import { describe, expect, it } from 'vitest'
import { makeVersion } from '../../../test-kit/test/make-version.ts'
import { usePostgres } from '../../../test-kit/test/test-database.ts'
import { startRedis } from '../../../test-kit/test/start-redis.ts'
import { waitUntil } from '../faults/wait-until.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { addCustomer } from './customers.ts'
import { startServer, type TestServer } from '../../../test-kit/test/start-server.ts'

const [postgres, redis] = await Promise.all([usePostgres(), startRedis()])

const start = (env: Readonly<Record<string, string>>): Promise<TestServer> =>
  startServer(['--data', makeFolder()], env)
const startTwo = (env: Readonly<Record<string, string>>) => Promise.all([start(env), start(env)])

const QUOTA = 600
const CLIENTS = 8

describe('two replicas on Postgres and Redis', () => {
  it('answer all requests when one is killed under load, and never more than the quota', async () => {
    const url = await postgres.createDatabase()
    const versions = Array.from({ length: 20 }, (_, at) => makeVersion({ slug: `pack-${at}` }))
    const key = await addCustomer(url, 'pro', QUOTA, versions)
    const env = { DATABASE_URL: url, REDIS_URL: redis.url }
    const replicas = await startTwo(env)
    const [survivor, victim] = replicas

    let answered = 0
    let broken = 0
    let killed: Promise<unknown> | undefined
    const wanted = Array.from({ length: QUOTA - 2 * CLIENTS }, (_, at) => at)
    const got = new Map<number, string>()
    const work = async (client: number): Promise<void> => {
      for (let at = wanted.shift(), turn = client; at !== undefined; at = wanted.shift()) {
        while (!got.has(at)) {
          const server = replicas[turn++ % 2]!
          try {
            const answer = await fetch(`${server.url}/api/v1/packs/pack-${at % 20}`, {
              headers: { 'x-api-key': key },
            })
            const { slug } = (await answer.json()) as { slug: string }
            expect(answer.status).toBe(200)
            answered += 1
            got.set(at, slug)
          } catch (error) {
            if (!(error instanceof TypeError)) throw error
            broken += 1
          }
          if (answered >= 200) killed ??= victim.end('SIGKILL')
        }
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)))
    await killed
    expect([...got].every(([at, slug]) => slug === `pack-${at % 20}`)).toBe(true)
    expect(got.size).toBe(QUOTA - 2 * CLIENTS)
    expect(broken).toBeGreaterThan(0)

    const countRemaining = async (): Promise<number> => {
      const usage = await fetch(`${survivor.url}/api/v1/usage`, { headers: { 'x-api-key': key } })
      return ((await usage.json()) as { remaining: number }).remaining
    }
    // A replica that waits too long for Redis grants a tenth of the quota itself, and Redis never counts that.
    const countGrants = (): number =>
      replicas.filter(({ log }) => log.some((line) => line.includes('quota store is unreachable'))).length *
      Math.floor(QUOTA / 10)
    const remaining = await countRemaining()
    expect(answered + remaining).toBeLessThanOrEqual(QUOTA + countGrants())
    // An interrupted request may have been charged, at most one per client.
    expect(answered + remaining).toBeGreaterThanOrEqual(QUOTA - CLIENTS - countGrants())
    const rest = await Promise.all(
      Array.from({ length: remaining + 30 }, () =>
        fetch(`${survivor.url}/api/v1/packs/pack-0`, { headers: { 'x-api-key': key } }).then(
          (answer) => answer.status,
        ),
      ),
    )
    const granted = rest.filter((status) => status === 200).length
    expect(rest.filter((status) => status === 429)).toHaveLength(rest.length - granted)
    expect(Math.abs(granted - remaining)).toBeLessThanOrEqual(countGrants())
    expect(await countRemaining()).toBeLessThanOrEqual(countGrants())
    expect(await survivor.end('SIGTERM')).toBe(0)
  })

  it('notice a purge and a change of mode and of tier while running, and share a quota of 10 requests', async () => {
    const url = await postgres.createDatabase()
    const key = await addCustomer(url, 'free', null, [makeVersion({ slug: 'go' })])
    const env = { DATABASE_URL: url, REDIS_URL: redis.url }
    const replicas = await startTwo(env)
    const ask = (server: TestServer, path: string): Promise<Response> =>
      fetch(`${server.url}/api/v1${path}`, { headers: { 'x-api-key': key } })
    const burst = await Promise.all(
      Array.from({ length: 60 }, (_, at) => ask(replicas[at % 2]!, '/packs/go')),
    )
    expect(burst.filter(({ status }) => status === 200)).toHaveLength(10)

    const waitForAll = async (isDone: (server: TestServer) => Promise<boolean>): Promise<void> => {
      for (const server of replicas) await waitUntil('a replica has noticed it', () => isDone(server))
    }
    await runInProcess(['mode', 'recovery'], { env })
    await waitForAll(async (server) => (await ask(server, '/usage')).status === 503)
    await runInProcess(['mode', 'online'], { env })
    await waitForAll(async (server) => (await ask(server, '/usage')).status === 200)
    const { email } = JSON.parse((await runInProcess(['accounts', 'list', '--json'], { env })).stdout)
      .accounts[0] as { email: string }
    await runInProcess(['accounts', 'set-tier', email, 'pro'], { env })
    await waitForAll(
      async (server) =>
        ((await (await ask(server, '/packs/go')).json()) as { preview?: boolean }).preview === false,
    )
    expect(await runInProcess(['purge', 'go', '--reason', 'a leak'], { env })).toMatchObject({ status: 0 })
    for (const server of replicas) {
      await expect.poll(async () => (await ask(server, '/packs/go')).status).toBe(410)
      expect((await fetch(`${server.url}/browse/go`)).status).toBe(410)
    }
  })

  it('grants a tenth of the quota without Redis, and measures the queue', async () => {
    const url = await postgres.createDatabase()
    const key = await addCustomer(url, 'free', 100, [makeVersion({ slug: 'go' })])
    const away = await start({ DATABASE_URL: url, REDIS_URL: 'redis://127.0.0.1:1' })
    const burst = await Promise.all(
      Array.from({ length: 50 }, () =>
        fetch(`${away.url}/api/v1/packs/go`, { headers: { 'x-api-key': key } }),
      ),
    )
    expect(burst.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(10)
    expect(burst.every(({ status }) => status === 200 || status === 429)).toBe(true)
    await away.end('SIGTERM')
    expect(away.log.filter((line) => line.includes('quota store is unreachable'))).toHaveLength(1)

    const token = 'a-token-of-the-operator'
    const server = await start({ DATABASE_URL: url, REDIS_URL: redis.url, PACK_OPERATOR_TOKEN: token })
    const headers = { authorization: `Bearer ${token}` }
    expect(await (await fetch(`${server.url}/metrics`, { headers })).text()).toContain(
      'packs_queue_jobs{state="waiting"} 0',
    )
  })
})
