import { join } from 'node:path'
import autocannon from 'autocannon'
import { createProKey } from '../api/fill-catalog.ts'
import { startServer } from '../api/start-servers.ts'
import { medianOf } from '../median.ts'
import { openSearch } from './open-search.ts'

/** Requests a second for one pack, alone and beside clients that search without a pause. */
export interface LoadFigures {
  readonly packs: number
  readonly alone: number
  readonly beside: number
  /** Median of the rounds. */
  readonly ratio: number
  /** Searches a second meanwhile. */
  readonly searches: number
}

const CONNECTIONS = 8
const SECONDS = 4
const ROUNDS = 3
const MAX_QUERY = 400

/**
 * Measures a server on the catalog of a folder.
 *
 * @param program root of the checkout whose program serves
 */
export async function measureLoad(
  program: string,
  folder: string,
  packs: number,
  queries: readonly string[],
): Promise<LoadFigures> {
  const { catalog, close } = await openSearch(join(folder, 'catalog.sqlite'))
  const key = await createProKey(catalog)
  await close()
  const server = await startServer(program, folder, undefined)
  try {
    const headers = { 'x-api-key': key, 'accept-encoding': 'identity' }
    const get = (paths: readonly string[]) => {
      let clients = 0
      return autocannon({
        url: server.url,
        connections: CONNECTIONS,
        duration: SECONDS,
        headers,
        setupClient(client) {
          const start = Math.floor((clients++ * paths.length) / CONNECTIONS)
          const own = [...paths.slice(start), ...paths.slice(0, start)]
          client.setRequests(own.map((path) => ({ path })))
        },
      })
    }
    const pack = ['/api/v1/packs/pack-0']
    // No two are the same, so that none is answered from a cache.
    const searches = queries.flatMap((text) =>
      queries.map((other) => {
        const query = Array.from(`${text} ${other.split(/\s+/)[0]}`)
          .slice(0, MAX_QUERY)
          .join('')
        return `/api/v1/search?q=${encodeURIComponent(query)}`
      }),
    )
    await Promise.all([get(pack), get(searches)])
    const rounds = []
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await get(pack)
      const [beside, searched] = await Promise.all([get(pack), get(searches)])
      if (alone.non2xx + beside.non2xx + searched.non2xx > 0)
        throw new Error('The server answers with errors')
      rounds.push({ alone: alone.requests.average, beside: beside.requests.average, searched })
    }
    return {
      packs,
      alone: medianOf(rounds.map(({ alone }) => alone)),
      beside: medianOf(rounds.map(({ beside }) => beside)),
      ratio: medianOf(rounds.map(({ alone, beside }) => beside / alone)),
      searches: medianOf(rounds.map(({ searched }) => searched.requests.average)),
    }
  } finally {
    await server.stop()
  }
}
