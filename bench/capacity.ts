import type { Machine } from './measure.ts'
import type { Database } from './program.ts'

/** Costs of single requests, and memory of the server after them. */
export interface UnitCosts {
  readonly database: Database['name']
  readonly packs: number
  readonly bytesPerPack: number
  readonly megabytes: number
  readonly rows: readonly RequestCost[]
}

/** Processor milliseconds of the server with its threads, and of Postgres; latency under load. */
export interface RequestCost {
  readonly request: string
  readonly serverMs: number
  readonly databaseMs: number
  readonly p99: number
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
  readonly costs: readonly UnitCosts[]
  readonly cache: CacheFigures
}

/** Packs and requests a second that the tables are for. */
const SIZES = [100_000, 1_000_000]
const RATES = [100, 1000, 10_000]
/** Processors are half busy, so that one of two machines can end, and latency stays low. */
const BUSY = 0.5
/** A month of one processor with 4 GB, and of a GB on disk; a backup needs as much again. */
const PRICE = { core: 25, gigabyte: 0.1 }

/**
 * Writes what a catalog needs on paper, from the measured costs of single requests. Above the sizes
 * that were measured, a cost grows by the power of the size by which it grew between them.
 */
export function formatCapacity({ costs, cache }: ApiResults): string {
  const databases = [...new Set(costs.map(({ database }) => database))]
  const requests = costs[0]!.rows.map(({ request }) => request)
  const unit = databases.flatMap((database) => {
    const sizes = costs.filter((one) => one.database === database)
    return requests.map((request) => [
      request,
      database,
      ...sizes.flatMap((one) => {
        const { serverMs, databaseMs } = one.rows.find((row) => row.request === request)!
        return [format(serverMs), database === 'SQLite' ? '–' : format(databaseMs)]
      }),
    ])
  })
  const [small, large] = costs.filter(({ database }) => database === 'Postgres')
  const plan = SIZES.flatMap((packs) =>
    requests.map((request) => {
      const cost = costAt(small!, large!, request, packs)
      const cores = RATES.map((rate) => Math.ceil((rate * cost) / 1000 / BUSY))
      const money = cores.map((count) => count * PRICE.core)
      return [packs.toLocaleString('en'), request, format(cost), ...cores, ...money]
    }),
  )
  const disk = SIZES.map((packs) => {
    const gigabytes = (packs * large!.bytesPerPack) / 1e9
    return [packs.toLocaleString('en'), gigabytes.toFixed(0), (2 * gigabytes * PRICE.gigabyte).toFixed(0)]
  })
  const counts = costs.filter(({ database }) => database === databases[0]).map(({ packs }) => packs)
  const heads = counts.map((packs) => `at ${packs.toLocaleString('en')}: server | database`)
  return [
    'Processor milliseconds of one request, measured:',
    table(`request | catalog | ${heads.join(' | ')}`, unit),
    `Processors for so many requests a second of one kind, with Postgres, half of them busy, and their price a month (${PRICE.core} a processor):`,
    table(
      `packs | request | ms | ${RATES.join(' | ')} | ${RATES.map((rate) => `price ${rate}`).join(' | ')}`,
      plan,
    ),
    'Disk of Postgres, and its price a month with one backup:',
    table('packs | GB | price', disk),
    `Behind [nginx](cdn.md), of ${cache.requests.toLocaleString('en')} visits of pages by Zipf's law ${Math.round((100 * cache.hits) / cache.requests)} % came from the cache and ${cache.origin.toLocaleString('en')} reached the server: ${cache.perSecond.toLocaleString('en')} pages a second instead of ${cache.perSecondUncached.toLocaleString('en')}.`,
  ].join('\n\n')
}

function costAt(small: UnitCosts, large: UnitCosts, request: string, packs: number): number {
  const [first, second] = [small, large].map(({ rows }) => {
    const { serverMs, databaseMs } = rows.find((row) => row.request === request)!
    return serverMs + databaseMs
  })
  const power = Math.max(0, Math.log(second! / first!) / Math.log(large.packs / small.packs))
  return second! * (packs / large.packs) ** power
}

function format(milliseconds: number): string {
  return milliseconds.toFixed(milliseconds < 10 ? 2 : 0)
}

function table(head: string, rows: readonly (readonly (string | number)[])[]): string {
  const columns = head.split(' | ')
  const lines = [columns, columns.map((_, at) => (at < 2 ? '---' : '--:')), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const [BEGIN, END] = ['<!-- bench:api -->', '<!-- end -->']

/** Replaces the part of docs/operations/capacity.md between its marks. */
export function updatePage(page: string, results: ApiResults): string {
  const [begin, end] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)]
  return `${page.slice(0, begin)}\n\n${formatCapacity(results)}\n\n${page.slice(end)}`
}
