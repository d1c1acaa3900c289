// `pnpm bench:api [--packs N] [--copies N]`: the running API and pages over N (2,000) packs, beside a bare node:http server that
// sends the same bytes, and behind nginx; then what each request costs in both databases, also with N (49) copies of each pack.
// docs/operations/capacity.md is made from it. `PROGRAM=FOLDER` measures the built program of another checkout. Saved as bench/results/api.json.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { type OwnNginx, startNginx } from '../packages/test-kit/test/start-nginx.ts'
import { loadCorpus } from './documents.ts'
import { growCatalog } from './grow-catalog.ts'
import { createSectionMaker, writeSources } from './make-sources.ts'
import { describeMachine, medianOf, mix, round, type Machine } from './measure.ts'
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

export interface RequestFigures {
  readonly request: string
  readonly connections: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** The bare server with the same bytes. */
  readonly barePerSecond: number
  readonly bareP99: number
  /** Requests a second ÷ those of the bare server. */
  readonly ratio: number
  /** Processor time of the bare server a request ÷ that of the program. */
  readonly processorRatio: number
}

/** Processor milliseconds of a request, of the server with its threads and of Postgres. */
export interface UnitCosts {
  readonly database: Database['name']
  readonly packs: number
  readonly bytesPerPack: number
  readonly rows: readonly {
    readonly request: string
    readonly serverMs: number
    readonly databaseMs: number
  }[]
}

/** Visitors of pages by Zipf's law, through nginx as in the documentation. */
export interface CacheFigures {
  readonly requests: number
  readonly hits: number
  /** That reached the server. */
  readonly origin: number
  readonly perSecond: number
  readonly perSecondUncached: number
}

export interface ApiResults {
  readonly machine: Machine
  readonly packs: number
  readonly startMs: number
  /** Of the server: when it serves, and after all requests. */
  readonly megabytes: { readonly started: number; readonly after: number }
  readonly figures: readonly RequestFigures[]
  readonly costs: readonly UnitCosts[]
  readonly cache: CacheFigures
}

/** Requests through nginx, and how many are on their way. */
const VISITS = { count: 5000, parallel: 16 }
const ROUNDS = 3
const SECONDS = 2
const CONNECTIONS = 32
/** Searches of an account that may wait. */
const SEARCHES = 8

const { values: flags } = parseArgs({
  options: { packs: { type: 'string', default: '2000' }, copies: { type: 'string', default: '49' } },
})
await withFolder((folder) => main(folder, Number(flags.packs), Number(flags.copies)))

async function main(folder: string, packs: number, copies: number): Promise<void> {
  const { documents } = await loadCorpus(ROOT)
  const sources = join(folder, 'sources')
  writeSources(sources, packs, createSectionMaker(documents.map(({ text }) => text)))
  const kinds = listKinds(packs)
  let beside: Pick<ApiResults, 'startMs' | 'megabytes' | 'figures' | 'cache'> | undefined
  const costs = await forEachDatabase(folder, async (database) => {
    await publish(sources, database)
    const { key } = await createAccount('bench@example.org', database)
    const small = await withServer(database, async (server) => {
      beside ??= await measureBeside(server, key, kinds, packs)
      return measureCosts(server, database, key, kinds)
    })
    await growCatalog(database, copies)
    const large = await withServer(database, (server) => measureCosts(server, database, key, kinds))
    const bytes = await database.measureBytes()
    return [small, large].map((rows, at) => ({
      database: database.name,
      packs: at === 0 ? packs : packs * (copies + 1),
      bytesPerPack: Math.round(bytes / packs / (copies + 1)),
      rows,
    }))
  })
  const results = { machine: describeMachine(), packs, ...beside!, costs: costs.flat() }
  await saveResults('api', results satisfies ApiResults)
}

async function withServer<T>(database: Database, work: (server: Server) => Promise<T>): Promise<T> {
  const server = await startServer(database)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

/** Beside a bare server, and behind a cache. */
async function measureBeside(
  server: Server,
  key: string,
  kinds: readonly Kind[],
  packs: number,
): Promise<Pick<ApiResults, 'startMs' | 'megabytes' | 'figures' | 'cache'>> {
  const started = (await server.readUsage()).megabytes
  const figures: RequestFigures[] = []
  for (const kind of kinds) figures.push(await measureKind(server, key, kind))
  const after = (await server.readUsage()).megabytes
  return {
    startMs: Math.round(server.startMs),
    megabytes: { started: Math.round(started), after: Math.round(after) },
    figures,
    cache: await measureCache(server, packs),
  }
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

async function measureKind(server: Server, key: string, kind: Kind): Promise<RequestFigures> {
  const { request, connections, paths } = kind
  const response = await fetch(server.url + paths[0]!, { headers: { ...headersOf(0, key) } })
  if (response.status !== 200) throw new Error(`${paths[0]} returns ${response.status}`)
  const bare = await startBareServer(response, Buffer.from(await response.arrayBuffer()))
  try {
    // The first round starts the threads and fills the caches.
    await load(server, key, kind)
    const rounds: { readonly own: Load; readonly bare: Load }[] = []
    for (let round_ = 0; round_ < ROUNDS; round_++)
      rounds.push({ own: await load(server, key, kind), bare: await load(bare, key, kind) })
    const median = (of: (one: { readonly own: Load; readonly bare: Load }) => number): number =>
      round(medianOf(rounds.map(of)))
    return {
      request,
      connections,
      perSecond: median(({ own }) => own.perSecond),
      p50: median(({ own }) => own.p50),
      p99: median(({ own }) => own.p99),
      barePerSecond: median((one) => one.bare.perSecond),
      bareP99: median((one) => one.bare.p99),
      ratio: median((one) => one.own.perSecond / one.bare.perSecond),
      processorRatio: median((one) => one.bare.processorMs / one.own.processorMs),
    }
  } finally {
    await bare.stop()
  }
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
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly processorMs: number
  readonly requests: number
}

let loads = 0

type Target = Pick<Server, 'url' | 'readUsage'>

async function load(server: Target, key: string, { connections, paths }: Kind): Promise<Load> {
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
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    processorMs: (1000 * processorSeconds) / requests,
  }
}

async function measureCosts(
  server: Server,
  database: Database,
  key: string,
  kinds: readonly Kind[],
): Promise<UnitCosts['rows']> {
  const rows: UnitCosts['rows'][number][] = []
  for (const kind of kinds) {
    await load(server, key, kind)
    const before = await database.readProcessorMs()
    const { processorMs, requests } = await load(server, key, kind)
    const databaseMs = ((await database.readProcessorMs()) - before) / requests
    rows.push({ request: kind.request, serverMs: round(processorMs), databaseMs: round(databaseMs) })
  }
  return rows
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

/** Starts a server that sends the same bytes and header fields for every request. */
async function startBareServer(response: Response, body: Buffer): Promise<Target & Pick<Server, 'stop'>> {
  const script = fileURLToPath(new URL('bare-server.ts', import.meta.url))
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const own = new Set(['date', 'connection', 'keep-alive'])
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.has(name)))
  child.stdin.end(JSON.stringify({ headers, body: body.toString('base64') }))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const url = line.toString().trim()
  return {
    url,
    async readUsage() {
      const usage = (await (await fetch(`${url}/usage`)).json()) as { cpuSeconds: number; memory: number }
      return { processorSeconds: usage.cpuSeconds, megabytes: usage.memory / 2 ** 20 }
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
