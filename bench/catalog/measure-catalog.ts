import { openCatalog, type Catalog } from '@packs/catalog'
import { medianOf } from '../median.ts'
import { createProgress } from '../progress.ts'
import { mix } from './make-versions.ts'
import type { createVersionMaker } from './make-versions.ts'
import type { Yardstick } from './open-yardsticks.ts'

/** One kind of call at one size: sequential calls a second, and their share of the yardstick. */
export interface CallFigures {
  readonly call: string
  readonly perSecond: number
  readonly ratio: number
}

/** Figures of a database with `packs` packs. */
export interface CatalogFigures {
  readonly database: string
  readonly packs: number
  /** Packs committed a second, in releases of 500. */
  readonly filledPerSecond: number
  readonly bytesPerPack: number
  readonly documentBytes: number
  readonly yardstickPerSecond: number
  readonly calls: readonly CallFigures[]
}

interface Target {
  readonly database: string
  readonly url: string
  readonly open: () => Promise<Yardstick> | Yardstick
}

const RELEASE = 500
const ROUNDS = 3

/** Fills a database to each size in turn and measures it there. */
export async function measureCatalog(
  { database, url, open }: Target,
  sizes: readonly number[],
  makeVersion: ReturnType<typeof createVersionMaker>,
  roundMs: number,
): Promise<CatalogFigures[]> {
  const catalog = await openCatalog({ url })
  const yardstick = await open()
  const empty = await yardstick.measureSize()
  const figures: CatalogFigures[] = []
  let filled = 0
  for (const packs of sizes) {
    const begin = performance.now()
    const tick = createProgress(`${database} ${packs}`, Math.ceil((packs - filled) / RELEASE))
    const added = packs - filled
    for (; filled < packs; filled = Math.min(packs, filled + RELEASE)) {
      const count = Math.min(RELEASE, packs - filled)
      await catalog.packs.commit(Array.from({ length: count }, (_, place) => makeVersion(filled + place)))
      tick()
    }
    const seconds = (performance.now() - begin) / 1000
    const size = (await yardstick.measureSize()) - empty
    const documentBytes = (await catalog.packs.latest('pack-0'))?.document.length ?? 0
    figures.push({
      database,
      packs,
      filledPerSecond: added / seconds,
      bytesPerPack: size / packs,
      documentBytes,
      ...(await measureCalls(catalog, yardstick, packs, roundMs)),
    })
  }
  await yardstick.close()
  await catalog.close()
  return figures
}

/** Measures calls and yardstick in turns, so that a busy machine slows both. Returns medians of the rounds. */
async function measureCalls(
  { packs }: Catalog,
  yardstick: Yardstick,
  size: number,
  roundMs: number,
): Promise<Pick<CatalogFigures, 'yardstickPerSecond' | 'calls'>> {
  const slug = (turn: number): string => `pack-${mix(turn) % size}`
  const page = (turn: number): { limit: number; offset: number } => ({
    limit: 20,
    offset: 20 * (mix(turn) % Math.min(500, size / 20)),
  })
  const pick = (turn: number, words: readonly string[]): string => words[turn % words.length] ?? ''
  const calls: readonly (readonly [string, (turn: number) => Promise<unknown>])[] = [
    ['bare select', (turn) => yardstick.readRow(slug(turn))],
    ['latest', (turn) => packs.latest(slug(turn))],
    ['list', (turn) => packs.list(page(turn))],
    ['list of a domain', (turn) => packs.list({ ...page(turn), offset: 0, domain: `domain-${turn % 40}` })],
    ['search, 2 words', (turn) => packs.list({ limit: 20, offset: 0, search: pick(turn, LONG) })],
    ['search, 2 letters', (turn) => packs.list({ limit: 20, offset: 0, search: pick(turn, SHORT) })],
    ['changes, 100 packs', (turn) => packs.changes({ ...ALL, after: mix(turn) % size })],
  ]
  const rates = calls.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, [, call]] of calls.entries()) rates[index]?.push(await countCalls(call, roundMs))
  }
  const [base = 0, ...others] = rates.map(medianOf)
  return {
    yardstickPerSecond: base,
    calls: others.map((perSecond, index) => ({
      call: calls[index + 1]?.[0] ?? '',
      perSecond,
      ratio: perSecond / base,
    })),
  }
}

const LONG = ['index query', 'pressure oven', 'clause party', 'node drain', 'chord cadence', 'refund charge']
const SHORT = ['qu', '地震', 'ph', 'のた', 'vx', 'zo']
const ALL = { removals: true, limit: 100, maxBytes: 32 * 2 ** 20 } as const

async function countCalls(call: (turn: number) => Promise<unknown>, roundMs: number): Promise<number> {
  const begin = performance.now()
  let turns = 0
  for (; performance.now() - begin < roundMs; turns++) await call(turns)
  return (turns / (performance.now() - begin)) * 1000
}
