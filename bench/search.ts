// `pnpm bench:search`: how well and how fast packs and sections are found, in both databases; saved in bench/results.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../packages/catalog/test/start-postgres.ts'
import { describeMachine } from './results.ts'
import { formatSearch, type EngineQuality, type SearchResults } from './search/format-search.ts'
import { measureLoad, type LoadFigures } from './search/measure-load.ts'
import { loadQuerySet, type QuerySet } from './search/load-query-set.ts'
import { createPackMaker } from './search/make-packs.ts'
import { measureQuality } from './search/measure-quality.ts'
import { fillCatalog, measureScale, type ScaleFigures } from './search/measure-scale.ts'
import { nameHits, openSearch, readCosts } from './search/open-search.ts'
import { createPlainSearch } from './search/plain-bm25.ts'

const HELP = `pnpm bench:search [--packs N] [--load N] [--keep FOLDER] [--postgres URL] [--program FOLDER]

  --packs N         packs of ten sections to search for speed, in both databases (100000); 0 measures quality only
  --load N          packs of a catalog that is served beside searching clients (20000); 0 measures none
  --keep FOLDER     keeps the SQLite catalogs in this folder, and fills only what they lack
  --postgres URL    the same for a database
  --program FOLDER  checkout whose program serves (this one)

A run with 10,000 packs or more is saved as bench/results/search.json and search.md. Documents are published into catalogs that are not kept.
`
/** Packs that are published one by one. */
const PUBLISHED = 40

const root = fileURLToPath(new URL('..', import.meta.url))
const { values: flags } = parseArgs({
  options: {
    packs: { type: 'string', default: '100000' },
    load: { type: 'string', default: '20000' },
    keep: { type: 'string' },
    postgres: { type: 'string' },
    program: { type: 'string', default: root },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (flags.help) process.stdout.write(HELP)
else await main(Number(flags.packs), Number(flags.load))

async function main(packs: number, loaded: number): Promise<void> {
  const set = await loadQuerySet(root)
  const folder = mkdtempSync(join(tmpdir(), 'packs-bench-'))
  const kept = flags.keep ?? folder
  const server = await startPostgres()
  try {
    const quality: EngineQuality[] = [
      { engine: 'Plain BM25', figures: await measurePlain(set, join(folder, 'plain.sqlite')) },
      { engine: 'SQLite', figures: await measureDatabase(set, join(folder, 'small.sqlite')) },
      { engine: 'Postgres', figures: await measureDatabase(set, await server.createDatabase()) },
    ]
    const scale: ScaleFigures[] = []
    const load: LoadFigures[] = []
    if (packs > 0) {
      scale.push(
        await measureLarge(set, 'SQLite', join(kept, 'large.sqlite'), packs, flags.keep !== undefined),
      )
      const url = flags.postgres ?? (await server.createDatabase())
      scale.push(await measureLarge(set, 'Postgres', url, packs, flags.postgres !== undefined))
    }
    if (loaded > 0) {
      const data = join(kept, 'load')
      mkdirSync(data, { recursive: true })
      await fillCatalog(join(data, 'catalog.sqlite'), loaded, createMaker(set))
      const texts = set.queries.map(({ text }) => text)
      load.push(await measureLoad(flags.program, data, loaded, texts))
    }
    const results = {
      machine: describeMachine(),
      load: loadavg()[1] ?? 0,
      set: set.name,
      quality,
      scale,
      beside: load,
    }
    process.stdout.write(formatSearch(results))
    if (packs >= 10_000) await save(results)
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function save(results: SearchResults): Promise<void> {
  const folder = join(root, 'bench/results')
  await writeFile(join(folder, 'search.json'), `${JSON.stringify(results, null, 2)}\n`)
  await writeFile(join(folder, 'search.md'), formatSearch(results))
}

async function measureDatabase(
  { versions, queries }: QuerySet,
  url: string,
): Promise<EngineQuality['figures']> {
  const { catalog, search, close } = await openSearch(url)
  await catalog.packs.commit(versions)
  const costs = await readCosts(catalog, versions)
  const figures = await measureQuality(queries, async (text) => nameHits(await search(text)), costs)
  await close()
  return figures
}

async function measurePlain({ versions, queries }: QuerySet, url: string): Promise<EngineQuality['figures']> {
  const { catalog, close } = await openSearch(url)
  await catalog.packs.commit(versions)
  const costs = await readCosts(catalog, versions)
  await close()
  return measureQuality(queries, createPlainSearch(versions), costs)
}

function createMaker({ documents }: QuerySet): ReturnType<typeof createPackMaker> {
  return createPackMaker(documents.map(({ text }) => text))
}

function measureLarge(
  set: QuerySet,
  database: ScaleFigures['database'],
  url: string,
  packs: number,
  isKept: boolean,
): Promise<ScaleFigures> {
  const published = set.documents.filter(({ tokens }) => tokens < 8000).slice(0, PUBLISHED)
  return measureScale(database, url, packs, createMaker(set), {
    queries: set.queries.map(({ text }) => text),
    documents: isKept ? undefined : published,
  })
}
