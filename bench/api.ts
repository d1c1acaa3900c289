// `pnpm bench:api [--packs N] [--copies N]`: what requests to the API and the pages cost in both databases, with N (2,000) packs and
// with N (49) copies of each, beside a health check; and pages behind nginx. `PROGRAM=FOLDER` measures the built program of another
// checkout. Saved as bench/results/api.json, and in docs/operations/capacity.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { type OwnNginx, startNginx } from '../packages/test-kit/test/start-nginx.ts'
import {
  updatePage,
  type ApiResults,
  type CacheFigures,
  type RequestCost,
  type UnitCosts,
} from './capacity.ts'
import { loadCorpus } from './documents.ts'
import { growCatalog } from './grow-catalog.ts'
import { createSectionMaker, writeSources } from './make-sources.ts'
import { describeMachine, mix, round } from './measure.ts'
import {
  createAccount,
  type Database,
  forEachDatabase,
  publish,
  ROOT,
  startServer,
  withFolder,
  type Server,
} from './program.ts'
import { saveResults } from './results.ts'

/** Requests through nginx, and how many are on their way. */
const VISITS = { count: 5000, parallel: 16 }
const SECONDS = 4
const CONNECTIONS = 32
/** Half of the searches of an account that may wait. */
const SEARCHES = 4

let loads = 0

const { values: flags } = parseArgs({
  options: { packs: { type: 'string', default: '2000' }, copies: { type: 'string', default: '49' } },
})
await withFolder((folder) => main(folder, Number(flags.packs), Number(flags.copies)))

async function main(folder: string, packs: number, copies: number): Promise<void> {
  const { documents } = await loadCorpus(ROOT)
  const sources = join(folder, 'sources')
  writeSources(sources, packs, createSectionMaker(documents.map(({ text }) => text)))
  let cache: CacheFigures | undefined
  const costs = await forEachDatabase(folder, async (database) => {
    await publish(sources, database)
    const { key } = await createAccount('bench@example.org', database)
    const measure = async (count: number): Promise<UnitCosts> => {
      const server = await startServer(database)
      try {
        const rows = await measureCosts(server, database, key, listKinds(packs))
        const megabytes = Math.round((await server.readUsage()).megabytes)
        cache ??= await measureCache(server, packs)
        const bytesPerPack = Math.round((await database.measureBytes()) / count)
        return { database: database.name, packs: count, bytesPerPack, megabytes, rows }
      } finally {
        await server.stop()
      }
    }
    const small = await measure(packs)
    await growCatalog(database, copies)
    return [small, await measure(packs * (copies + 1))]
  })
  const results = { machine: describeMachine(), costs: costs.flat(), cache: cache! } satisfies ApiResults
  await saveResults('api', results)
  const page = join(ROOT, 'docs/operations/capacity.md')
  writeFileSync(page, updatePage(readFileSync(page, 'utf8'), results))
}

interface Kind {
  readonly request: string
  readonly connections: number
  readonly paths: readonly string[]
}

/** Paths in turn, so that few answers come from a cache. */
function listKinds(packs: number): Kind[] {
  const turns = Array.from({ length: 2000 }, (_, turn) => mix(turn))
  const stored = JSON.parse(
    readFileSync(new URL('search/example-queries.json', import.meta.url), 'utf8'),
  ) as { queries: { query: string }[] }
  const queries = stored.queries.flatMap(({ query }) =>
    stored.queries.map((other) => encodeURIComponent(`${query} ${other.query.split(' ').at(-1)}`)),
  )
  return [
    { request: 'health check', connections: CONNECTIONS, paths: turns.map(() => '/livez') },
    {
      request: 'a pack',
      connections: CONNECTIONS,
      paths: turns.map((turn) => `/api/v1/packs/pack-${turn % packs}`),
    },
    {
      request: 'a list',
      connections: CONNECTIONS,
      paths: turns.map((turn) => `/api/v1/packs?page=${1 + (turn % Math.floor(packs / 20))}`),
    },
    {
      request: 'a search',
      connections: SEARCHES,
      paths: queries.map((query) => `/api/v1/search?q=${query}&limit=10`),
    },
    {
      request: 'context of 2,000 tokens',
      connections: SEARCHES,
      paths: queries.map((query) => `/api/v1/context?q=${query}&budget=2000`),
    },
    {
      request: 'a prompt of 3 packs',
      connections: SEARCHES,
      paths: turns.map(
        (turn) =>
          `/api/v1/context?${[0, 1, 2].map((at) => `pack=pack-${(turn + at) % packs}`).join('&')}&budget=60000`,
      ),
    },
    {
      request: '/browse',
      connections: CONNECTIONS,
      paths: turns.map((turn) => `/browse?page=${1 + (turn % Math.floor(packs / 20))}`),
    },
    {
      request: '/browse of a pack',
      connections: CONNECTIONS,
      paths: turns.map((turn) => `/browse/pack-${turn % packs}`),
    },
  ]
}

async function measureCosts(
  server: Server,
  database: Database,
  key: string,
  kinds: readonly Kind[],
): Promise<readonly RequestCost[]> {
  const rows: RequestCost[] = []
  for (const kind of kinds) {
    // The first load starts the threads and fills the caches.
    await load(server, key, kind)
    const before = await database.readProcessorMs()
    const { processorMs, requests, p99 } = await load(server, key, kind)
    const databaseMs = ((await database.readProcessorMs()) - before) / requests
    rows.push({ request: kind.request, serverMs: round(processorMs), databaseMs: round(databaseMs), p99 })
  }
  return rows
}

/** Headers of a client; each of them is a network of its own, as pages are limited by network. */
function headersOf(client: number, key: string): Record<string, string> {
  return {
    'x-api-key': key,
    'accept-encoding': 'identity',
    'x-forwarded-for': `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`,
  }
}

interface Load {
  readonly p99: number
  readonly processorMs: number
  readonly requests: number
}

async function load(server: Server, key: string, { connections, paths }: Kind): Promise<Load> {
  const before = (await server.readUsage()).processorSeconds
  let clients = 0
  const turn = loads++
  const result = await autocannon({
    url: server.url,
    connections,
    duration: SECONDS,
    timeout: 60,
    // Each client has its own share of the paths; a search is new in each load, so that none comes from a cache.
    setupClient(client) {
      const own = paths.filter((_, at) => at % connections === clients)
      const requests = own.map((path, at) => ({
        path: path.replace('?q=', `?q=r${turn}+`),
        headers: headersOf(clients * paths.length + at, key),
      }))
      clients += 1
      client.setRequests(requests)
    },
  })
  if (result.non2xx + result.errors > 0) {
    const { non2xx, errors, timeouts } = result
    throw new Error(`${paths[0]}: ${non2xx} refused, ${errors} errors, of these ${timeouts} timeouts`)
  }
  const processorSeconds = (await server.readUsage()).processorSeconds - before
  const requests = Math.max(1, result.requests.total)
  return {
    requests,
    p99: result.latency.p99,
    processorMs: (1000 * processorSeconds) / requests,
  }
}

async function measureCache(server: Server, packs: number): Promise<CacheFigures> {
  const port = Number(new URL(server.url).port)
  const name = (site: string): string => site.replace('$remote_addr', '$http_x_client')
  const cached = await visitPages(server, await startNginx([port], name), packs)
  const plain = await startNginx([port], (site) => name(site).replace('proxy_cache packs;', ''))
  const { perSecond } = await visitPages(server, plain, packs)
  return { ...cached, perSecondUncached: perSecond }
}

async function visitPages(server: Server, nginx: OwnNginx, packs: number): Promise<CacheFigures> {
  // Ranks of Zipf's law with exponent 1, by the inverse of its sums.
  const sums = Array.from({ length: packs }, (_, at) => 1 / (at + 1))
  for (let at = 1; at < packs; at++) sums[at]! += sums[at - 1]!
  const draw = (seed: number): number => {
    const wanted = (mix(seed) / 2 ** 32) * sums.at(-1)!
    return sums.findIndex((sum) => sum >= wanted)
  }
  const before = await server.countRequests()
  let [hits, next] = [0, 0]
  const begin = performance.now()
  const visit = async (): Promise<void> => {
    while (next < VISITS.count) {
      const seed = next++
      const path = `/browse/pack-${draw(seed)}`
      const response = await fetch(nginx.url + path, { headers: { 'x-client': `10.1.${seed & 255}.1` } })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`${path} returns ${response.status}`)
      if (response.headers.get('x-cache') === 'HIT') hits += 1
    }
  }
  await Promise.all(Array.from({ length: VISITS.parallel }, visit))
  const seconds = (performance.now() - begin) / 1000
  await nginx.stop()
  const perSecond = Math.round(VISITS.count / seconds)
  const origin = (await server.countRequests()) - before
  return { requests: VISITS.count, hits, origin, perSecond, perSecondUncached: 0 }
}
