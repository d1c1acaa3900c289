import autocannon from 'autocannon'
import { mix } from '../catalog/make-versions.ts'
import { medianOf } from '../median.ts'
import { createProgress } from '../progress.ts'
import { startBareServer, type BenchServer } from './start-servers.ts'

/** Figures of one kind of request, compared with the bare server. */
export interface ApiFigures {
  readonly request: string
  readonly packs: number
  readonly quota: 'embedded' | 'Redis'
  readonly bytes: number
  readonly perSecond: number
  readonly barePerSecond: number
  /** Requests per second as a share of the bare server's. */
  readonly ratio: number
  /** The bare server's processor time per request as a share of the API's. */
  readonly cpuRatio: number
  /** Milliseconds at 32 connections. */
  readonly p99: number
  readonly bareP99: number
}

export interface RequestOptions {
  readonly key: string
  readonly size: number
  readonly quota: 'embedded' | 'Redis'
  readonly seconds: number
}

const CONNECTIONS = 32
const ROUNDS = 3
/** Number of different paths that are requested in turn. */
const PATHS = 2000

/** Measures each kind of request, alternating with a bare server that sends the same bytes. */
export async function measureRequests(
  root: string,
  api: BenchServer,
  options: RequestOptions,
): Promise<ApiFigures[]> {
  const kinds = listKinds(options.size)
  const tick = createProgress(`${options.size} packs, ${options.quota}`, kinds.length)
  const figures: ApiFigures[] = []
  for (const [request, paths] of kinds) {
    figures.push(await measureKind(root, api, options, request, paths))
    tick()
  }
  return figures
}

function listKinds(size: number): readonly (readonly [string, readonly string[]])[] {
  const pages = Math.min(500, Math.floor(size / 20))
  const turns = Array.from({ length: PATHS }, (_, turn) => mix(turn))
  return [
    ['one pack of 20 KB', ['/api/v1/packs/pack-0']],
    ['packs in turn', turns.map((turn) => `/api/v1/packs/pack-${turn % size}`)],
    ['a list', ['/api/v1/packs']],
    ['lists in turn', turns.map((turn) => `/api/v1/packs?page=${1 + (turn % pages)}`)],
  ]
}

interface Round {
  readonly perSecond: number
  readonly p99: number
  readonly cpuMicros: number
}

async function measureKind(
  root: string,
  api: BenchServer,
  { key, size, quota, seconds }: RequestOptions,
  request: string,
  paths: readonly string[],
): Promise<ApiFigures> {
  const headers = { 'x-api-key': key, 'accept-encoding': 'identity' }
  const response = await fetch(`${api.url}${paths[0] ?? ''}`, { headers })
  if (response.status !== 200) throw new Error(`${paths[0]} returns ${response.status}`)
  const body = Buffer.from(await response.arrayBuffer())
  const bare = await startBareServer(root, response, body)
  try {
    await run(api, paths, headers, 1)
    await run(bare, paths, headers, 1)
    const own: Round[] = []
    const theirs: Round[] = []
    for (let round = 0; round < ROUNDS; round++) {
      own.push(await run(api, paths, headers, seconds))
      theirs.push(await run(bare, paths, headers, seconds))
    }
    const median = (rounds: readonly Round[], name: keyof Round): number =>
      medianOf(rounds.map((round) => round[name]))
    const [perSecond, barePerSecond] = [median(own, 'perSecond'), median(theirs, 'perSecond')]
    return {
      request,
      packs: size,
      quota,
      bytes: body.length,
      perSecond,
      barePerSecond,
      ratio: medianOf(own.map((round, at) => round.perSecond / (theirs[at]?.perSecond ?? NaN))),
      cpuRatio: median(theirs, 'cpuMicros') / median(own, 'cpuMicros'),
      p99: median(own, 'p99'),
      bareP99: median(theirs, 'p99'),
    }
  } finally {
    await bare.stop()
  }
}

async function run(
  server: BenchServer,
  paths: readonly string[],
  headers: Readonly<Record<string, string>>,
  duration: number,
): Promise<Round> {
  const before = await server.readUsage()
  const result = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    duration,
    headers,
    requests: paths.map((path) => ({ path })),
  })
  const after = await server.readUsage()
  if (result.non2xx + result.errors + result.timeouts > 0)
    throw new Error(`${server.url}: ${result.non2xx} errors`)
  return {
    perSecond: result.requests.average,
    p99: result.latency.p99,
    cpuMicros: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / result.requests.total,
  }
}
