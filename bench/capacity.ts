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
  const requests = costs[0]!.rows.map(({ request }) => request)
  const unit = requests.map((request) => [
    request,
    ...costs.map(({ rows }) => {
      const { serverMs, databaseMs } = rows.find((row) => row.request === request)!
      return databaseMs === 0 ? format(serverMs) : `${format(serverMs)} + ${format(databaseMs)}`
    }),
  ])
  const [small, large] = costs.filter(({ database }) => database === 'Postgres')
  const plan = requests.map((request) => [
    request,
    ...SIZES.flatMap((packs) => {
      const cost = costAt(small!, large!, request, packs)
      return RATES.map((rate) => Math.ceil((rate * cost) / 1000 / BUSY))
    }),
  ])
  const disk = SIZES.map((packs) => {
    const gigabytes = (packs * large!.bytesPerPack) / 1e9
    return `${count(packs)} packs take ${gigabytes.toFixed(0)} GB in Postgres, ${(2 * gigabytes * PRICE.gigabyte).toFixed(0)} a month with a backup`
  })
  const columns = costs.map(({ database, packs }) => `${database}, ${count(packs)}`)
  const rates = SIZES.flatMap((packs) => RATES.map((rate) => `${count(packs)} packs, ${count(rate)}/s`))
  return [
    'Processor milliseconds of a request, of the server + of Postgres:',
    table(['request', ...columns], unit),
    `Processors for that many requests a second of one kind, with Postgres, half of them busy. One costs about ${PRICE.core} a month with 4 GB:`,
    table(['request', ...rates], plan),
    `${disk.join('; ')} (${PRICE.gigabyte} a GB). After the load, a server with Postgres had ${count(large!.megabytes)} MB.`,
    `Behind [nginx](cdn.md), ${Math.round((100 * cache.hits) / cache.requests)} % of ${count(cache.requests)} visits by Zipf's law came from the cache, and ${count(cache.origin)} reached the server: ${count(cache.perSecond)} pages a second instead of ${count(cache.perSecondUncached)}.`,
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

function count(number: number): string {
  return number.toLocaleString('en')
}

function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [columns, columns.map((_, at) => (at === 0 ? '---' : '--:')), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const [BEGIN, END] = ['<!-- bench:api -->', '<!-- end -->']

/** Replaces the part of docs/operations/capacity.md between its marks. */
export function updatePage(page: string, results: ApiResults): string {
  const [begin, end] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)]
  return `${page.slice(0, begin)}\n\n${formatCapacity(results)}\n\n${page.slice(end)}`
}
