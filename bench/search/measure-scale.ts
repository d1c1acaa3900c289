import { openCatalog } from '@packs/catalog'
import type { BenchDocument } from '../documents.ts'
import { createProgress } from '../progress.ts'
import { openPostgresIndex, openSqliteIndex, type TableSize } from './index-size.ts'
import type { createPackMaker } from './make-packs.ts'
import { measurePublish, type PublishFigures } from './measure-publish.ts'
import { openSearch } from './open-search.ts'

/** Figures of a catalog with very many packs. Times are milliseconds, sizes bytes. */
export interface ScaleFigures {
  readonly database: 'SQLite' | 'Postgres'
  readonly packs: number
  readonly sections: number
  readonly textBytes: number
  readonly tables: readonly TableSize[]
  /** Commit of a pack in releases of 250; `null` if the catalog was filled before. */
  readonly fillPerPack: number | null
  readonly search: QueryFigures
  /** Passages within 2,000 tokens. */
  readonly context: QueryFigures
  readonly hostileMax: number
  readonly publish: PublishFigures | null
}

/** One query after another. */
export interface QueryFigures {
  readonly p50: number
  readonly p99: number
  /** Processor time of this process a query, in all its threads. */
  readonly processor: number
}

const RELEASE = 250
const BUDGET = 2000

/** Queries made to be slow or to be read as an expression of a database. */
const hostile: readonly string[] = [
  '* '.repeat(200),
  'a* '.repeat(100),
  'NEAR(the file, 2) OR text : NOT "'.repeat(9),
  '"'.repeat(399),
  '((((((((((' + 'AND OR NOT '.repeat(30),
  '🦆'.repeat(400),
  '漢'.repeat(400),
  '数据库连接池配置'.repeat(50),
  'リアクティブ'.repeat(66),
  'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(7),
  'use file value type data function error command option name',
  'the of and to in is it for on with',
  "' or 1=1; drop table packs; --",
  'x'.repeat(400),
  Array.from({ length: 57 }, (_, at) => `qzx${at}jv`).join(' '),
].map((text) => Array.from(text).slice(0, 400).join(''))

/**
 * Fills a catalog and times searches one after another.
 *
 * @param documents are published one by one at the end, unless the catalog is kept
 */
export async function measureScale(
  database: ScaleFigures['database'],
  url: string,
  packs: number,
  makeVersion: ReturnType<typeof createPackMaker>,
  {
    queries,
    documents,
  }: { readonly queries: readonly string[]; readonly documents: readonly BenchDocument[] | undefined },
): Promise<ScaleFigures> {
  const fillPerPack = await fillCatalog(url, packs, makeVersion)
  const { catalog, search, context, close } = await openSearch(url)
  const index = database === 'SQLite' ? openSqliteIndex(url) : await openPostgresIndex(url)
  try {
    const tables = await index.measure()
    const { sections } = await catalog.search.store.readTotals()
    let textBytes = 0
    for (let at = 0; at < packs; at++) textBytes += Buffer.byteLength(makeVersion(at).pack.content)
    return {
      database,
      packs,
      sections,
      textBytes,
      tables,
      fillPerPack,
      search: await timeQueries(search, queries),
      context: await timeQueries((text) => context(text, BUDGET), queries),
      hostileMax: (await timeQueries(search, hostile)).p99,
      publish: documents === undefined ? null : await measurePublish(catalog, index, documents),
    }
  } finally {
    await index.close()
    await close()
  }
}

/** Commits what a catalog lacks of so many packs. Returns the milliseconds a pack; `null` if it lacks none. */
export async function fillCatalog(
  url: string,
  packs: number,
  makeVersion: ReturnType<typeof createPackMaker>,
): Promise<number | null> {
  const catalog = await openCatalog({ url })
  const present = await catalog.sequence()
  const tick = createProgress(`${packs} packs`, Math.ceil((packs - present) / RELEASE))
  const begin = performance.now()
  for (let filled = present; filled < packs; filled += RELEASE) {
    const count = Math.min(RELEASE, packs - filled)
    await catalog.packs.commit(Array.from({ length: count }, (_, place) => makeVersion(filled + place)))
    tick()
  }
  await catalog.close()
  return present >= packs ? null : (performance.now() - begin) / (packs - present)
}

/** Asks each query twice, and measures the second time. */
async function timeQueries(
  search: (text: string) => Promise<unknown>,
  queries: readonly string[],
): Promise<QueryFigures> {
  for (const query of queries) await search(query)
  const before = process.cpuUsage()
  const times: number[] = []
  for (const query of queries) {
    const begin = performance.now()
    await search(query)
    times.push(performance.now() - begin)
  }
  const { user, system } = process.cpuUsage(before)
  times.sort((a, b) => a - b)
  return {
    p50: times[Math.floor(times.length / 2)] ?? 0,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
    processor: (user + system) / 1000 / times.length,
  }
}
