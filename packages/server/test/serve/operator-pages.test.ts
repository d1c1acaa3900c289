import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { startOwnRedis } from '../../../test-kit/test/start-redis.ts'
import { readDocument } from '../operations/read-examples.ts'
import { waitUntil } from '../faults/wait-until.ts'
import { makeFolder, runPack } from '../../../test-kit/test/run-pack.ts'
import { startServer, type TestServer } from '../../../test-kit/test/start-server.ts'

const TOKEN = 'a-token-of-the-operator'
const headers = { authorization: `Bearer ${TOKEN}` }

/** Starts a Redis, and returns functions that freeze it and let it continue. */
async function startFreezableRedis(): Promise<{ url: string; freeze: () => void; thaw: () => void }> {
  const redis = await startOwnRedis()
  const client = new Redis(redis.url)
  const pid = Number(/^process_id:(\d+)/m.exec(await client.info('server'))![1])
  client.disconnect()
  return {
    url: redis.url,
    freeze: () => void process.kill(pid, 'SIGSTOP'),
    thaw: () => void process.kill(pid, 'SIGCONT'),
  }
}

async function readMetrics(server: TestServer): Promise<string> {
  return (await fetch(`${server.url}/metrics`, { headers })).text()
}

describe("the operator's pages while Redis is frozen", () => {
  it('show its absence within the time of a scrape, and the queue again as soon as it continues', async () => {
    const redis = await startFreezableRedis()
    const env = { DATABASE_URL: '', REDIS_URL: redis.url, PACK_OPERATOR_TOKEN: TOKEN }
    const server = await startServer(['--data', makeFolder()], env)
    const before = await readMetrics(server)
    expect(before).toContain('packs_dependency_up{dependency="redis"} 1')
    expect(before).toContain('packs_dependency_up{dependency="database"} 1')
    expect(before).toContain('packs_queue_workers 0')
    redis.freeze()
    onTestFinished(redis.thaw)
    // A scrape of Prometheus ends after ten seconds by default.
    const signal = AbortSignal.timeout(10_000)
    const scrapes = Array.from({ length: 20 }, async () =>
      (await fetch(`${server.url}/metrics`, { headers, signal })).text(),
    )
    for (const text of await Promise.all(scrapes)) {
      expect(text).toContain('packs_dependency_up{dependency="redis"} 0')
      expect(text).not.toContain('packs_queue_')
    }
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    redis.thaw()
    await waitUntil('the queue is measured', async () =>
      (await readMetrics(server)).includes('packs_queue_workers 0'),
    )
    expect(await server.end('SIGTERM')).toBe(0)
  })

  it('are served if it was frozen before the server started, which also ends', async () => {
    const redis = await startFreezableRedis()
    redis.freeze()
    onTestFinished(redis.thaw)
    const env = { DATABASE_URL: '', REDIS_URL: redis.url, PACK_OPERATOR_TOKEN: TOKEN }
    const server = await startServer(['--data', makeFolder()], env)
    expect(await readMetrics(server)).toContain('packs_dependency_up{dependency="redis"} 0')
    expect(await server.end('SIGTERM')).toBe(0)
  })

  it('have a rule that alerts: the metric of the absent dependency', () => {
    const rules = readDocument('operations/alerts.yaml')
    const expression = (name: string): string | undefined =>
      new RegExp(`alert: ${name}\\n\\s+expr: (.*)\\n`).exec(rules)?.[1]
    expect(expression('PacksQueueAway')).toBe('packs_dependency_up{dependency="redis"} == 0')
    expect(expression('PacksDatabaseAway')).toBe('packs_dependency_up{dependency="database"} == 0')
    expect(expression('PacksConnectionsUsedUp')).toBe('packs_dependency_up{dependency="connections"} == 0')
  })
})

it('each rule for Prometheus has a test of promtool in which it fires', () => {
  interface Tests {
    readonly tests: {
      readonly alert_rule_test?: { readonly alertname: string; readonly exp_alerts: unknown[] }[]
    }[]
  }
  const rules = [...readDocument('operations/alerts.yaml').matchAll(/alert: (\w+)/g)].map(([, name]) => name)
  const { tests } = parse(readDocument('operations/alerts.test.yaml')) as Tests
  const cases = tests.flatMap(({ alert_rule_test: list = [] }) => list)
  const fired = cases.filter(({ exp_alerts }) => exp_alerts.length > 0).map(({ alertname }) => alertname)
  expect(rules.length).toBeGreaterThan(10)
  expect(rules.filter((name) => !fired.includes(name!))).toEqual([])
})

describe('pack jobs while Redis is frozen', () => {
  it('ends with an error', async () => {
    const redis = await startFreezableRedis()
    redis.freeze()
    onTestFinished(redis.thaw)
    const env = { DATABASE_URL: '', REDIS_URL: redis.url }
    const run = await runPack(['jobs', '--json', '--data', makeFolder()], { env })
    expect(run.status).toBe(5)
    expect(JSON.parse(run.stdout)).toMatchObject({
      error: { code: 'queue_unavailable', message: 'Redis cannot be reached (it does not answer)' },
    })
  })
})

describe('wrong operator tokens', () => {
  it('are limited and logged by network, and the right token always passes', async () => {
    const env = { DATABASE_URL: '', PACK_OPERATOR_TOKEN: TOKEN }
    const server = await startServer(['--data', makeFolder(), '--trust-proxy', '127.0.0.1'], env)
    const ask = async (from: string, authorization?: string, path = '/metrics'): Promise<Response> =>
      fetch(server.url + path, {
        headers: { 'x-forwarded-for': from, ...(authorization !== undefined && { authorization }) },
      })
    const guess = (at: number): string =>
      at % 2 === 0 ? `Bearer guess-${at}` : `Basic ${btoa(`operator:guess-${at}`)}`
    // A browser asks without a token first; that is no guess.
    for (let count = 0; count < 20; count++) expect((await ask('192.0.2.7')).status).toBe(401)
    const statuses: number[] = []
    for (let at = 0; at < 12; at++) statuses.push((await ask('192.0.2.7', guess(at))).status)
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429])
    const refused = await ask('192.0.2.7', guess(1))
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    for (const from of ['192.0.2.7', '::ffff:192.0.2.7', '198.51.100.3'])
      for (const right of [`Bearer ${TOKEN}`, `bearer  ${TOKEN}`, `Basic ${btoa(`anybody:${TOKEN}`)}`])
        expect((await ask(from, right)).status).toBe(200)
    expect((await ask('192.0.2.7')).status).toBe(401)
    for (const near of [`${TOKEN}x`, TOKEN.slice(0, -1), TOKEN.toUpperCase()])
      expect((await ask('192.0.2.7', `Bearer ${near}`)).status).toBe(429)
    // Addresses of one IPv6 /64 are one network.
    for (let at = 0; at < 10; at++) await ask(`2001:db8:1:2::${at}`, guess(at))
    expect((await ask('2001:db8:1:2::ff', guess(1))).status).toBe(429)
    expect((await ask('2001:db8:1:3::1', headers.authorization)).status).toBe(200)
    expect(await server.end('SIGTERM')).toBe(0)
    const logged = server.log
      .map((line) => JSON.parse(line) as { msg: string; network?: string })
      .filter(({ msg }) => msg === 'a wrong operator token was sent')
    expect(logged.map(({ network }) => network)).toEqual([
      ...Array<string>(10).fill('192.0.2.7'),
      ...Array<string>(10).fill('2001:db8:1:2::/64'),
    ])
    expect(server.log.join('\n')).not.toMatch(/guess-|a-token-of/)
  })
})
