import { request, type RequestOptions } from 'node:http'
import {
  createFallbackQuota,
  createQuota,
  createRedisQuota,
  type Catalog,
  type Quota,
  type Tier,
} from '@packs/catalog'
import { assembleClient } from '@packs/client/internal'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { countRuns } from '../../test-kit/test/count-runs.ts'
import { actor } from '../../test-kit/test/make-version.ts'
import { startOwnRedis } from '../../test-kit/test/start-redis.ts'
import '../../web/test/lower-password-cost.ts'
import { startMcp, type TestMcp } from './mcp/start-mcp.ts'

/** Requests that are sent at the same time: more than an account has places for searches. */
const PARALLEL = 64

interface Customer {
  readonly tier: Tier
  readonly daily: number
  readonly key: string
  readonly cookie: string
  /** What the answers that it got cost, and what those that it did not wait for may have cost. */
  charged: number
  uncertain: number
  /** Pages of versions that were paid for. */
  readonly paid: Set<string>
}

interface Answer {
  readonly status: number | undefined
  readonly text: string
  readonly etag: string | undefined
}

/**
 * Asks on a connection of its own, which ends with the answer.
 * @param patience milliseconds after which the client hangs up; undefined then, unless the answer has begun
 */
function ask(
  url: string,
  options: RequestOptions,
  body = '',
  patience?: number,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const sent = request(url, { agent: false, ...options }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      const { statusCode: status, headers } = response
      response.on('close', () => resolve({ status, etag: headers.etag, text }))
    })
    sent.on('error', () => resolve(undefined)).end(body)
    if (patience !== undefined) setTimeout(() => sent.destroy(), patience)
  })
}

const MCP_TYPES = 'application/json, text/event-stream'
const WORDS = ['certificate', 'renewal', 'server', 'index', 'revocation', 'nothing-has-this']
const NAMES = ['tls-certificates', 'http-status-codes', 'datenbanken', 'no-such-pack']

/** Creates an account with a key that is signed in to the pages. */
async function join(mcp: TestMcp, tier: Tier, daily: number): Promise<Pick<Customer, 'key' | 'cookie'>> {
  const email = `${crypto.randomUUID()}@example.org`
  const [{ accounts, keys }, now] = [mcp.catalog, new Date()]
  const { account, claimCode } = await accounts.createClaimed({ email, tier, daily, actor }, now)
  const { key } = await keys.create({ accountId: account.id, name: 'test', actor }, now)
  const post = (path: string, form: Readonly<Record<string, string>>): Promise<Response> => {
    const body = new URLSearchParams({ email, ...form })
    return fetch(mcp.origin + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: mcp.origin },
      body,
    })
  }
  await post('/settings/code', { code: claimCode, new_password: 'correct horse' })
  const { headers } = await post('/settings/sign-in', { password: 'correct horse' })
  return {
    key,
    cookie: headers
      .getSetCookie()
      .map((cookie) => cookie.split(';', 1)[0])
      .join('; '),
  }
}

async function countUsed({ origin }: TestMcp, { key }: Customer): Promise<number> {
  const response = await fetch(`${origin}/api/v1/usage`, { headers: { 'x-api-key': key } })
  return ((await response.json()) as { used: number }).used
}

/** Returns numbers from 0 to below 1, the same ones on every run. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const redisQuota = async (): Promise<() => Quota> => {
  const redis = await startOwnRedis()
  const client = new Redis(redis.url)
  onTestFinished(() => client.disconnect())
  return () => createRedisQuota(client)
}

const failing = (): Promise<never> => Promise.reject(new Error('away'))
const away: Quota = { take: failing, peek: failing, close: () => Promise.resolve() }

it.each<[string, () => Promise<(catalog: Catalog) => Quota>]>([
  ['SQLite', () => Promise.resolve(({ quota }) => createQuota(quota))],
  ['Redis', redisQuota],
  [
    'memory while the store is away',
    () => Promise.resolve(() => createFallbackQuota(away, { onFallback: () => undefined })),
  ],
])(
  'charges exactly what it answers, with counts in %s',
  async (_where, open) => {
    const mcp = await startMcp(undefined, undefined, await open())
    const random = createRandom(20_261_129)
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
    const customers: Customer[] = []
    for (const [tier, daily] of [
      ['free', 10],
      ['free', 60],
      ['pro', 70],
      ['pro', 400],
      ['pro', 100_000],
      ['pro', 100_000],
    ] as const)
      customers.push({
        tier,
        daily,
        ...(await join(mcp, tier, daily)),
        charged: 0,
        uncertain: 0,
        paid: new Set(),
      })
    const impatient = customers.at(-1)
    const tags = new Map<string, string>()
    const seen = new Set<string>()

    const condition = (name: string): Record<string, string> => {
      const tag = random() < 0.25 ? tags.get(name) : undefined
      return tag === undefined ? {} : { 'if-none-match': tag }
    }

    /** @param price of an answer with status 200; 404 costs one */
    const callApi = async (customer: Customer, path: string, price = 1): Promise<void> => {
      const name = `${customer.tier} ${path}`
      const patience = customer === impatient && random() < 0.4 ? Math.floor(random() * 60) : undefined
      const headers = { 'x-api-key': customer.key, ...condition(name) }
      const method = random() < 0.2 ? 'HEAD' : 'GET'
      const answer = await ask(`${mcp.origin}/api/v1${path}`, { method, headers }, '', patience)
      if (answer === undefined) return void (customer.uncertain += price)
      const { status, text, etag } = answer
      if (etag !== undefined) tags.set(name, etag)
      seen.add(String(status)).add(/"code":"(\w+)"/.exec(text)?.[1] ?? '')
      customer.charged += status === 200 ? price : status === 404 ? 1 : 0
    }
    const callTool = async (customer: Customer): Promise<void> => {
      const max_tokens = pick([300, 2000, 4000, 4001, 9000, 40_000])
      const section = pick([undefined, 'renewal', 'revocation', 'none'])
      const call = pick([
        { name: 'search_packs', arguments: { query: pick(WORDS), max_tokens } },
        { name: 'read_pack', arguments: { pack: pick(NAMES), section, max_tokens } },
        { name: 'read_pack', arguments: {} },
      ])
      const answer = await ask(
        mcp.url.href,
        {
          method: 'POST',
          headers: { 'x-api-key': customer.key, 'content-type': 'application/json', accept: MCP_TYPES },
        },
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
      )
      const isError = answer!.text.includes('"isError":true')
      const code = isError ? (/\((\w+)\)"/.exec(answer!.text)?.[1] ?? '') : 'answered'
      seen.add(`mcp ${code}`)
      const price = call.name === 'search_packs' ? Math.ceil(max_tokens / 4000) : 1
      if (!isError) customer.charged += price
      else if (/^(?:pack_not_found|section_not_found|no_matching_version)$/.test(code)) customer.charged++
    }
    const openPage = async (customer: Customer): Promise<void> => {
      const { cookie, paid } = customer
      const slug = pick(NAMES)
      const path = pick([
        `/browse/${slug}.pack.json`,
        `/browse/${slug}.md?full=1`,
        `/browse?search=${pick(WORDS)}`,
        `/prompt.md?full=1&pack=${slug}`,
      ])
      const headers = { cookie, ...condition(path) }
      const { status, text, etag } = (await ask(mcp.origin + path, { headers }))!
      if (etag !== undefined) tags.set(path, etag)
      seen.add(`page ${status}`)
      if (status !== 200) return
      if (path.startsWith('/browse?'))
        customer.charged += text.includes('Each search counts as a request') ? 1 : 0
      else if (!paid.has(slug)) {
        paid.add(slug)
        customer.charged++
      }
    }
    const useClient = async (customer: Customer): Promise<void> => {
      const client = assembleClient({ url: mcp.origin, key: customer.key, retries: 0, timeout: 600_000 })
      const budget = pick([300, 4000, 9000])
      const [price, work] = pick<[number, () => Promise<unknown>]>([
        [Math.ceil(budget / 4000), () => client.context(pick(WORDS), { budget })],
        [1, () => client.packs.get(pick(NAMES))],
      ])
      const code = await work().then(
        () => 'answered',
        (error: { readonly code?: string }) => error.code,
      )
      seen.add(`client ${code}`)
      customer.charged += code === 'answered' ? price : code === 'pack_not_found' ? 1 : 0
    }
    const visit = (): Promise<void> => {
      const customer = random() < 0.5 ? customers[4]! : pick(customers)
      const budget = pick([200, 4000, 4001, 16_000])
      const name = pick(NAMES)
      const words = `q=${pick(WORDS)}+${Math.floor(random() * 9)}`
      const api = (path: string, price?: number) => (): Promise<void> => callApi(customer, path, price)
      return pick([
        api(`/packs?limit=${1 + Math.floor(random() * 50)}`),
        api(`/search?${words}`),
        api(`/search?${words}&limit=${1 + Math.floor(random() * 9)}`),
        api(`/context?${words}&budget=${budget}`, Math.ceil(budget / 4000)),
        api(`/context?${words}&budget=16000`, 4),
        api('/context?pack=tls-certificates&pack=datenbanken', 2),
        api(`/context?q=index&pack=${name}`),
        api(`/packs/${name}`),
        api(`/packs/${name}/versions`),
        api(`/packs/${name}/versions/1.0.0`),
        api(`/packs/${name}/sections`),
        api(`/packs/${name}/sections/${pick(['renewal', 'revocation', '~intro', 'none'])}`),
        api(`/packs/download?include=${pick(['source', 'document'])}`),
        api('/nothing'),
        api('/packs?limit=0'),
        api('/usage', 0),
        () => callTool(customer),
        () => callTool(customer),
        () => openPage(customer),
        () => openPage(customer),
        () => useClient(customer),
      ])()
    }

    const total = countRuns(640)
    for (let sent = 0; sent < total; sent += PARALLEL)
      await Promise.all(Array.from({ length: PARALLEL }, visit))
    for (const customer of customers) {
      const used = await countUsed(mcp, customer)
      expect(used).toBeGreaterThanOrEqual(customer.charged)
      expect(used).toBeLessThanOrEqual(customer.charged + customer.uncertain)
      expect(used).toBeLessThanOrEqual(customer.daily)
    }
    const kinds = ['200', '304', '400', '403', '404', '429', 'quota_exceeded', 'mcp answered', 'page 200']
    expect([...seen]).toEqual(expect.arrayContaining([...kinds, 'client answered']))
  },
  600_000,
)
