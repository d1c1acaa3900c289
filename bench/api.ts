// `pnpm bench:api [--packs N]`: the running API and pages over N (2,000) packs, beside a bare node:http server that sends the
// same bytes. `PROGRAM=FOLDER` measures the built program of another checkout. Saved as bench/results/api.json.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { createNoteMaker, writeSources } from './make-sources.ts'
import { createProgress, describeMachine, medianOf, mix, round, type Machine } from './measure.ts'
import { createAccount, publish, startServer, withFolder, type Server } from './program.ts'
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

export interface ApiResults {
  readonly machine: Machine
  readonly packs: number
  readonly startMs: number
  /** Of the server: when it serves, after all requests, and the most during downloads. */
  readonly megabytes: { readonly started: number; readonly after: number; readonly downloads: number }
  readonly figures: readonly RequestFigures[]
  /** Requests a second for one pack, alone and while eight clients search. */
  readonly besideSearch: { readonly alone: number; readonly beside: number; readonly searches: number }
  readonly downloads: { readonly packs: number; readonly megabytesPerSecond: number }
}

const ROUNDS = 3
const SECONDS = 2
const CONNECTIONS = 32
/** Searches of an account that may wait. */
const SEARCHES = 8
/** Packs of the domain that is downloaded, and their characters. */
const DOWNLOADED = { every: 40, length: 19_500 }

const { values: flags } = parseArgs({ options: { packs: { type: 'string', default: '2000' } } })
await withFolder((folder) => main(folder, Number(flags.packs)))

async function main(folder: string, packs: number): Promise<void> {
  const database = { name: 'SQLite', data: join(folder, 'data'), env: {} } as const
  const [note, long] = [createNoteMaker(), createNoteMaker(DOWNLOADED.length)]
  writeSources(join(folder, 'sources'), packs, (index) =>
    index % DOWNLOADED.every === 0 ? long(index) : note(index),
  )
  await publish(join(folder, 'sources'), database)
  const { key } = await createAccount('bench@example.org', database)
  const server = await startServer(database)
  try {
    const started = (await server.readUsage()).megabytes
    const kinds = listKinds(packs)
    const tick = createProgress('requests', kinds.length)
    const figures: RequestFigures[] = []
    for (const kind of kinds) {
      figures.push(await measureKind(server, key, kind))
      tick()
    }
    const after = (await server.readUsage()).megabytes
    const besideSearch = await measureBeside(server, key, kinds)
    const { most, ...downloads } = await measureDownloads(server, key, packs)
    await saveResults('api', {
      machine: describeMachine(),
      packs,
      startMs: Math.round(server.startMs),
      megabytes: { started: Math.round(started), after: Math.round(after), downloads: Math.round(most) },
      figures,
      besideSearch,
      downloads,
    } satisfies ApiResults)
  } finally {
    await server.stop()
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
  return {
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    processorMs: (1000 * processorSeconds) / Math.max(1, result.requests.total),
  }
}

async function measureBeside(
  server: Server,
  key: string,
  kinds: readonly Kind[],
): Promise<ApiResults['besideSearch']> {
  const pack = { ...kinds.find(({ request }) => request === 'a pack')!, connections: SEARCHES }
  const search = kinds.find(({ request }) => request === 'a search')!
  const alone = await load(server, key, pack)
  const [beside, searches] = await Promise.all([load(server, key, pack), load(server, key, search)])
  return {
    alone: round(alone.perSecond),
    beside: round(beside.perSecond),
    searches: round(searches.perSecond),
  }
}

/** Downloads the long packs, eight times at once, three times. */
async function measureDownloads(
  server: Server,
  key: string,
  packs: number,
): Promise<ApiResults['downloads'] & { readonly most: number }> {
  const headers = { ...headersOf(0, key), accept: 'application/x-ndjson' }
  const begin = performance.now()
  let [bytes, most] = [0, 0]
  for (let turn = 0; turn < ROUNDS; turn++) {
    const bodies = Array.from({ length: 8 }, async () => {
      const response = await fetch(`${server.url}/api/v1/packs/download?domain=domain-0`, { headers })
      return (await response.arrayBuffer()).byteLength
    })
    for (const size of await Promise.all(bodies)) bytes += size
    most = Math.max(most, (await server.readUsage()).megabytes)
  }
  const seconds = (performance.now() - begin) / 1000
  const count = Math.ceil(packs / DOWNLOADED.every)
  if (bytes < ROUNDS * 8 * count * DOWNLOADED.length) throw new Error(`A download has ${bytes} bytes`)
  return { packs: count, megabytesPerSecond: round(bytes / 1e6 / seconds), most }
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
