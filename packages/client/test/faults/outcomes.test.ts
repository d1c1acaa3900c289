import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { assembleClient, type CatalogClient } from '../../src/create-client.ts'
import { defaultPorts, type Ports } from '../../src/requests/send-request.ts'
import { collect } from '../collect.ts'
import { startCatalog } from '../start-catalog.ts'
import { FAULT_HEADER, faults, startFaultyProxy } from './faulty-proxy.ts'

const methods: Readonly<Record<string, (client: CatalogClient) => Promise<unknown>>> = {
  search: (client) => client.search('rotate a certificate', { limit: 2 }),
  list: (client) => collect(client.packs.list({ search: 'certificates' })),
  get: (client) => client.packs.get('tls-certificates'),
  'get a range': (client) => client.packs.get('tls-certificates@^1'),
  'get a version': (client) => client.packs.get('tls-certificates@1.0.0'),
  versions: (client) => client.packs.versions('tls-certificates'),
  context: (client) => client.context('rotate a certificate'),
  download: (client) => collect(client.packs.download()),
  usage: async (client) => (({ tier, limit }) => ({ tier, limit }))(await client.usage()),
  status: (client) => client.status(),
}

const TIMEOUT = 30_000
/** What the client waits for its cache. */
const CACHE_WAIT = 2000

/** What the methods return without a fault, and what is then cached. */
const right = new Map<string, unknown>()
const cached = new Map<string, string>()
/** Requests that went elsewhere than to the proxy. */
const strayed: string[] = []

const api = await startCatalog()
const proxy = await startFaultyProxy(api.port)
const client = createTestClient(undefined, 0, cached)
for (const [name, call] of Object.entries(methods)) right.set(name, drop(await call(client)))

afterAll(async () => {
  await proxy.close()
})

/** Faults of the connection, which no proxy can show. */
const ownFaults: Readonly<Record<string, typeof fetch>> = {
  'connection refused': () => fetch('http://127.0.0.1:1/'),
  'a body without an end': () => {
    const chunk = new Uint8Array(16 * 1024 * 1024)
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) })
    return Promise.resolve(new Response(body))
  },
}

/** Creates a client whose first requests meet a fault. @param times how many of them */
function createTestClient(
  fault: string | undefined,
  times: number,
  cache: Map<string, string>,
): CatalogClient {
  let left = times
  let isSilent = false
  const ports: Ports = {
    ...defaultPorts,
    // Time-outs are real, and short where no answer comes. Waiting for another attempt takes no time.
    wait: (milliseconds, signal) =>
      milliseconds < TIMEOUT && milliseconds !== CACHE_WAIT
        ? Promise.resolve()
        : defaultPorts.wait(isSilent && milliseconds >= TIMEOUT ? 150 : milliseconds, signal),
    fetch: (url, init) => {
      const isFaulty = fault !== undefined && left-- > 0
      isSilent = isFaulty && ['no answer', 'a body that drips forever'].includes(fault)
      if (!(url as string).startsWith(`${proxy.url}/`)) strayed.push(url as string)
      if (isFaulty && Object.hasOwn(ownFaults, fault)) return ownFaults[fault]!(url, init)
      const extra = isFaulty && { [FAULT_HEADER]: encodeURIComponent(fault) }
      return fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), ...extra } })
    },
  }
  const store = {
    get: (key: string) => Promise.resolve(cache.get(key)),
    set: (key: string, value: string) => Promise.resolve(void cache.set(key, value)),
  }
  return assembleClient(
    { url: proxy.url, key: api.pro.key, cache: store, timeout: TIMEOUT, retries: 1 },
    ports,
  )
}

/** Leaves out how fresh a result is. */
function drop(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, item: unknown) => (['stale', 'age'].includes(key) ? undefined : item)),
  )
}

/** Names what a call did: the right value, a stale copy of it, or the code of an error. */
async function classify(method: string, client: CatalogClient): Promise<string> {
  try {
    const value = await methods[method]!(client)
    const isRight = JSON.stringify(drop(value)) === JSON.stringify(right.get(method))
    return isRight ? (JSON.stringify(value).includes('"stale":true') ? 'stale copy' : 'value') : 'WRONG'
  } catch (error) {
    const { name, code, hint, message } = error as Record<string, string>
    const isTyped = name === 'ClientError' && hint !== '' && !`${message}${hint}`.includes(api.pro.key)
    return isTyped ? `\`${code}\`` : `WRONG ${String(error)}`
  }
}

/** Runs every method with a fault, and says in one cell what they did. */
async function describeOutcomes(fault: string, times: number, cache: Map<string, string>): Promise<string> {
  const outcomes = new Map<string, string[]>()
  await Promise.all(
    Object.keys(methods).map(async (method) => {
      const outcome = await classify(method, createTestClient(fault, times, new Map(cache)))
      outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), method])
    }),
  )
  const order = Object.keys(methods)
  const sorted = [...outcomes].toSorted(([, a], [, b]) => b.length - a.length || (a[0]! < b[0]! ? -1 : 1))
  return sorted
    .map(([outcome, names], index) =>
      index === 0
        ? outcome
        : `${outcome}: ${names.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)).join(', ')}`,
    )
    .join('; ')
}

describe('a client behind a proxy that fails', () => {
  const faultsByCells = new Map<string, string[]>()

  it.each([...Object.keys(faults), ...Object.keys(ownFaults)])('%s', async (fault) => {
    // Beyond sixty a minute, no request is answered with 304.
    api.setTime(new Date(api.now().getTime() + 60_000).toISOString())
    const cells = [
      await describeOutcomes(fault, 1, new Map()),
      await describeOutcomes(fault, Infinity, new Map()),
      await describeOutcomes(fault, Infinity, cached),
    ]
    const row = cells.join(' | ')
    faultsByCells.set(row, [...(faultsByCells.get(row) ?? []), fault])
    expect(cells.join()).not.toContain('WRONG')
  })

  it('does what the table in docs/client-faults.md says', () => {
    const page = readFileSync(new URL('../../../../docs/client-faults.md', import.meta.url), 'utf8')
    const table = page.slice(page.indexOf('| fault'), page.indexOf('<!-- end of the table -->'))
    const shown = table
      .split('\n')
      .slice(2)
      .filter((line) => line.startsWith('|'))
    const rows = [...faultsByCells].map(([row, names]) => `| ${names.join('; ')} | ${row} |`)
    expect(shown.map((line) => line.replace(/ +/g, ' '))).toEqual(rows)
  })

  it('sends nothing to another host', () => {
    expect(strayed).toEqual([])
  })
})
