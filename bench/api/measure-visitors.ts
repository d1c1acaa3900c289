import { request } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import autocannon from 'autocannon'
import { startPostgres } from '../../packages/catalog/test/start-postgres.ts'
import { medianOf } from '../median.ts'
import { fillVisitedCatalog, VISITED_PACKS } from './fill-catalog.ts'
import { startServer } from './start-servers.ts'

/** Rate of the API while visitors open packs of 15 MB, compared with its rate alone. */
export interface VisitorFigures {
  readonly database: 'SQLite' | 'Postgres'
  /** Whether all visitors open the same pack, or each another one. */
  readonly packs: 'same' | 'different'
  readonly alonePerSecond: number
  readonly visitedPerSecond: number
  /** Median over the rounds. */
  readonly ratio: number
  /** Pages that the visitors got, in all rounds. */
  readonly pages: number
}

const VISITORS = 10
const CONNECTIONS = 10
/** A visitor opens a page each second. */
const PAUSE_MS = 1000

/** Measures both databases. A new server for each round begins without these packs in its caches. */
export async function measureVisitors(
  root: string,
  rounds: number,
  seconds: number,
): Promise<VisitorFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'packs-bench-'))
  const postgres = await startPostgres()
  try {
    const figures: VisitorFigures[] = []
    for (const database of ['SQLite', 'Postgres'] as const) {
      const url = database === 'Postgres' ? await postgres.createDatabase() : undefined
      const key = await fillVisitedCatalog(root, url ?? join(folder, 'catalog.sqlite'))
      for (const packs of ['same', 'different'] as const) {
        const measured = []
        for (let round = 0; round < rounds; round++) {
          const server = await startServer(root, folder, undefined, url)
          try {
            measured.push(await measureRound(server.url, key, packs === 'same', seconds))
          } finally {
            await server.stop()
          }
        }
        figures.push({
          database,
          packs,
          alonePerSecond: medianOf(measured.map(({ alone }) => alone)),
          visitedPerSecond: medianOf(measured.map(({ visited }) => visited)),
          ratio: medianOf(measured.map(({ alone, visited }) => visited / alone)),
          pages: measured.reduce((sum, { pages }) => sum + pages, 0),
        })
      }
    }
    return figures
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Round {
  readonly alone: number
  readonly visited: number
  readonly pages: number
}

async function measureRound(url: string, key: string, isSame: boolean, seconds: number): Promise<Round> {
  // Starts the threads of the server.
  await get(`${url}/browse/pack-0`, '127.0.0.1')
  await countRequests(url, key, 1)
  const alone = await countRequests(url, key, seconds)
  const end = performance.now() + seconds * 1000
  const visitors = Array.from({ length: VISITORS }, (_, at) =>
    visit(`${url}/browse/huge-${isSame ? 0 : at % VISITED_PACKS}`, `127.0.0.${2 + at}`, end),
  )
  const visited = await countRequests(url, key, seconds)
  const pages = (await Promise.all(visitors)).reduce((sum, count) => sum + count, 0)
  return { alone, visited, pages }
}

async function countRequests(url: string, key: string, duration: number): Promise<number> {
  const result = await autocannon({
    url: `${url}/api/v1/packs/pack-0`,
    connections: CONNECTIONS,
    duration,
    headers: { 'x-api-key': key, 'accept-encoding': 'identity' },
  })
  if (result.non2xx > 0) throw new Error(`${result.non2xx} errors`)
  return result.requests.total / duration
}

/** Opens a page, again and again until the end, from an address of its own. Returns how often. */
async function visit(url: string, localAddress: string, end: number): Promise<number> {
  let count = 0
  while (performance.now() < end) {
    const begin = performance.now()
    const status = await get(url, localAddress)
    if (status !== 200) throw new Error(`${url} returns ${status}`)
    count += 1
    await wait(Math.max(0, begin + PAUSE_MS - performance.now()))
  }
  return count
}

function get(url: string, localAddress: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { localAddress }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject).end()
  })
}
