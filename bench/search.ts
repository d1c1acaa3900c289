// `pnpm bench:search [--packs N]`: how well packs and sections are found and questions answered, beside plain BM25, and how fast in
// N (20,000) packs in both databases; 0 measures the quality alone. `PROGRAM=FOLDER` measures the built program of another
// checkout. Saved as bench/results/search.json.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { decode } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/compress'
import type { Pack } from '@packs/codec/pack'
import { type BenchDocument, loadCorpus } from './documents.ts'
import { createSectionMaker, writeSources } from './make-sources.ts'
import { describeMachine, round, summarizeTimes, type Machine, type Times } from './measure.ts'
import {
  createAccount,
  createSqlite,
  type Database,
  forEachDatabase,
  publish,
  ROOT,
  startServer,
  withFolder,
} from './program.ts'
import { readResults, saveResults } from './results.ts'
import { createBm25 } from './search/bm25.ts'
import {
  type ContextFigures,
  createChunkSearch,
  judgeContext,
  judgeMatch,
  type MatchFigures,
  type SignedAnswer,
} from './search/judge-context.ts'
import { type FoundHit, judgeSearch, type SearchFigures } from './search/judge-search.ts'
import { describePack, readQueries, type SetPack } from './search/query-set.ts'

/** Times of queries, one after the other, each new to the server. */
export interface ScaleFigures {
  readonly database: Database['name']
  readonly packs: number
  readonly search: Times
  readonly context: Times
  readonly hostileMax: number
}

export interface SearchResults {
  readonly machine: Machine
  readonly set: 'corpus' | 'examples'
  readonly quality: readonly SearchFigures[]
  readonly context: readonly ContextFigures[]
  readonly match: readonly MatchFigures[]
  readonly scale: readonly ScaleFigures[]
}

/** Queries made to be slow or to be read as an expression of a database. */
const HOSTILE: readonly string[] = [
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
  "' or 1=1; drop table packs; --",
  'x'.repeat(400),
  Array.from({ length: 57 }, (_, at) => `qzx${at}jv`).join(' '),
].map((text) => Array.from(text).slice(0, 400).join(''))

const { values: flags } = parseArgs({ options: { packs: { type: 'string', default: '20000' } } })
await withFolder((folder) => main(folder, Number(flags.packs)))

async function main(folder: string, packs: number): Promise<void> {
  const { name: set, documents } = await loadCorpus(ROOT)
  const database = createSqlite(join(folder, 'corpus'))
  const { quality, context, match, queries } = await measureQuality(folder, database, set, documents)
  const makeBody = createSectionMaker(documents.map(({ text }) => text))
  if (packs > 0) writeSources(join(folder, 'sources'), packs, makeBody)
  const scale =
    packs === 0
      ? (readResults<SearchResults>('search')?.scale ?? [])
      : await forEachDatabase(folder, (one) => measureScale(join(folder, 'sources'), one, packs, queries))
  const results = { machine: describeMachine(), set, quality, context, match, scale } satisfies SearchResults
  if (set === 'corpus') await saveResults('search', results)
  else process.stdout.write(`${JSON.stringify(results, null, 1)}\n`)
}

async function measureQuality(
  folder: string,
  database: Database,
  set: SearchResults['set'],
  documents: readonly BenchDocument[],
): Promise<Pick<SearchResults, 'quality' | 'context' | 'match'> & { readonly queries: readonly string[] }> {
  const tokenizer = await loadTokenizer('o200k_base')
  const catalog = await openCatalog(database, async (data) => {
    // Includes of the folders above are of files that do not exist.
    const sources = join(folder, 'documents', 'a', 'b')
    mkdirSync(sources, { recursive: true })
    for (const [at, { text }] of documents.entries()) writeFileSync(join(sources, `d${at}.md`), text)
    return (
      JSON.parse((await publish(join(folder, 'documents'), data)).stdout) as {
        published: { slug: string; file: string }[]
      }
    ).published
  })
  try {
    const packs: SetPack[] = []
    for (const { slug, file } of catalog.published) {
      const path = `packs/${slug}`
      const { title, content, rosetta } = await catalog.get<Pick<Pack, 'title' | 'content' | 'rosetta'>>(path)
      const document = documents[Number(/d(\d+)\.md$/.exec(file)![1])]!.file
      packs.push(describePack({ file: document, slug, title, body: decode(content, rosetta) }, tokenizer))
    }
    const queries = readQueries(set, packs)
    const plain = createBm25(
      packs.flatMap(({ slug, title, sections }) =>
        sections.map(({ name, path, text }) => {
          const words = `${title} ${path.join(' ')} ${text}`
          return { words, slug, section: name.slice(slug.length + 1), also: [] }
        }),
      ),
    )
    const context = (q: string, budget: number) => catalog.get<SignedAnswer>('context', { q, budget })
    return {
      quality: [
        ...(await judgeSearch('plain BM25', packs, queries, plain)),
        ...(await judgeSearch('Packs', packs, queries, catalog.search)),
      ],
      context: [
        ...(await judgeContext('chunks', packs, queries, createChunkSearch(packs, tokenizer), tokenizer)),
        ...(await judgeContext('passages', packs, queries, context, tokenizer)),
      ],
      match: await judgeMatch(queries, context),
      queries: queries.map(({ text }) => text),
    }
  } finally {
    await catalog.stop()
  }
}

async function measureScale(
  sources: string,
  database: Database,
  packs: number,
  queries: readonly string[],
): Promise<ScaleFigures> {
  const catalog = await openCatalog(database, (data) => publish(sources, data))
  const time = async (ask: (text: string) => Promise<unknown>, texts: readonly string[]): Promise<Times> => {
    const times: number[] = []
    for (const text of texts) {
      const begin = performance.now()
      await ask(text)
      times.push(performance.now() - begin)
    }
    return summarizeTimes(times)
  }
  const context = (text: string): Promise<unknown> => catalog.get('context', { q: text, budget: 2000 })
  try {
    await time(catalog.search, queries)
    await time(context, queries)
    // No answer comes from a cache: each query has one more word.
    const again = queries.map((text) => `${text.slice(0, 390)} page`)
    return {
      database: database.name,
      packs,
      search: await time(catalog.search, again),
      context: await time(context, again),
      hostileMax: round((await time(catalog.search, HOSTILE)).max),
    }
  } finally {
    await catalog.stop()
  }
}

interface Served<T> {
  readonly published: T
  readonly get: <Answer>(path: string, query?: Readonly<Record<string, string | number>>) => Promise<Answer>
  readonly search: (text: string) => Promise<FoundHit[]>
  readonly stop: () => Promise<void>
}

type Part = { readonly section: { readonly id: string } | null }
type Hit = Part & { readonly pack: { readonly slug: string }; readonly also: readonly Part[] }

/** Fills a catalog, and serves it. */
async function openCatalog<T extends { stdout: string } | readonly object[]>(
  database: Database,
  fill: (database: Database) => Promise<T>,
): Promise<Served<T>> {
  const published = await fill(database)
  const { key } = await createAccount('bench@example.org', database)
  const server = await startServer(database)
  const get = async <Answer>(path: string, query: Record<string, string | number> = {}): Promise<Answer> => {
    const params = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    const response = await fetch(`${server.url}/api/v1/${path}?${params}`, { headers: { 'x-api-key': key } })
    if (!response.ok) throw new Error(`${path} ${params}: ${await response.text()}`)
    return (await response.json()) as Answer
  }
  return {
    published,
    get,
    stop: server.stop,
    async search(text) {
      const { data } = await get<{ data: Hit[] }>('search', { q: text, limit: 10 })
      return data.map(({ pack, section, also }) => ({
        slug: pack.slug,
        section: section?.id ?? null,
        also: also.flatMap((beside) => beside.section?.id ?? []),
      }))
    },
  }
}
