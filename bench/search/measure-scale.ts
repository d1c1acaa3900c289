import { openSearch } from './open-search.ts'
import type { createPackMaker } from './make-packs.ts'
import { createProgress } from '../progress.ts'
import type { BenchDocument } from '../documents.ts'
import type { IndexTables } from './index-size.ts'
import { measurePublish, type PublishFigures } from './measure-publish.ts'

/** Figures of a catalog with very many packs. Times are milliseconds, sizes bytes. */
export interface ScaleFigures {
  readonly database: string
  readonly packs: number
  readonly sections: number
  readonly textBytes: number
  readonly indexBytes: number
  /** Commit of a pack in releases of 250. */
  readonly fillPerPack: number
  readonly p50: number
  readonly p99: number
  readonly hostileMax: number
  readonly publish: PublishFigures
}

interface Target {
  readonly database: string
  readonly url: string
  readonly openIndex: () => Promise<IndexTables> | IndexTables
}

const RELEASE = 250

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

/** Fills a catalog, and times searches one after another. */
export async function measureScale(
  { database, url, openIndex }: Target,
  packs: number,
  makeVersion: ReturnType<typeof createPackMaker>,
  {
    queries,
    documents,
  }: { readonly queries: readonly string[]; readonly documents: readonly BenchDocument[] },
): Promise<ScaleFigures> {
  const { catalog, search } = await openSearch(url)
  const index = await openIndex()
  const tick = createProgress(`${database} ${packs}`, Math.ceil(packs / RELEASE))
  let textBytes = 0
  let milliseconds = 0
  for (let filled = 0; filled < packs; filled += RELEASE) {
    const count = Math.min(RELEASE, packs - filled)
    const versions = Array.from({ length: count }, (_, place) => makeVersion(filled + place))
    textBytes += versions.reduce((sum, { pack }) => sum + Buffer.byteLength(pack.content), 0)
    const begin = performance.now()
    await catalog.packs.commit(versions)
    milliseconds += performance.now() - begin
    tick()
  }
  const indexBytes = await index.measure()
  const { sections } = await catalog.search.store.readTotals()
  const times = (await timeQueries(search, [...queries, ...queries]))
    .slice(queries.length)
    .toSorted((a, b) => a - b)
  const figures = {
    database,
    packs,
    sections,
    textBytes,
    indexBytes,
    fillPerPack: milliseconds / packs,
    p50: times[Math.floor(times.length / 2)] ?? 0,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
    hostileMax: Math.max(...(await timeQueries(search, hostile))),
    publish: await measurePublish(catalog, index, documents),
  }
  await index.close()
  await catalog.close()
  return figures
}

async function timeQueries(
  search: (text: string) => Promise<unknown>,
  queries: readonly string[],
): Promise<number[]> {
  const times: number[] = []
  for (const query of queries) {
    const begin = performance.now()
    await search(query)
    times.push(performance.now() - begin)
  }
  return times
}
