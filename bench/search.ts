// `pnpm bench:search`: how well and how fast packs and sections are found, in both databases; saved in bench/results.
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../packages/catalog/test/start-postgres.ts'
import { describeMachine } from './results.ts'
import { formatSearch, type EngineQuality, type SearchResults } from './search/format-search.ts'
import { openPostgresIndex, openSqliteIndex } from './search/index-size.ts'
import { loadQuerySet, type QuerySet } from './search/load-query-set.ts'
import { createPackMaker } from './search/make-packs.ts'
import { measureQuality } from './search/measure-quality.ts'
import { measureScale, type ScaleFigures } from './search/measure-scale.ts'
import { nameHits, openSearch, readCosts } from './search/open-search.ts'
import { createPlainSearch } from './search/plain-bm25.ts'

const HELP = `pnpm bench:search [--packs N] [--database sqlite|postgres]

  --packs N        packs of ten sections to search for speed (100000); 0 measures quality only
  --database KIND  only this database

A run of both databases with 10,000 packs or more is saved as bench/results/search.json and search.md.
`
/** Packs that are published one by one. */
const PUBLISHED = 40

const { values: flags } = parseArgs({
  options: {
    packs: { type: 'string', default: '100000' },
    database: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (flags.help) process.stdout.write(HELP)
else await main(fileURLToPath(new URL('..', import.meta.url)), Number(flags.packs))

async function main(root: string, packs: number): Promise<void> {
  const set = await loadQuerySet(root)
  const folder = mkdtempSync(join(tmpdir(), 'packs-bench-'))
  const server = flags.database === 'sqlite' ? undefined : await startPostgres()
  try {
    const plain = { engine: 'Plain BM25', figures: await measurePlain(set, join(folder, 'plain.sqlite')) }
    const quality: EngineQuality[] = [plain]
    const scale: ScaleFigures[] = []
    if (flags.database !== 'postgres') {
      quality.push({ engine: 'SQLite', figures: await measureDatabase(set, join(folder, 'small.sqlite')) })
      const url = join(folder, 'large.sqlite')
      if (packs > 0)
        scale.push(
          await measureLarge(set, packs, { database: 'SQLite', url, openIndex: () => openSqliteIndex(url) }),
        )
    }
    if (server !== undefined) {
      quality.push({ engine: 'Postgres', figures: await measureDatabase(set, await server.createDatabase()) })
      const url = await server.createDatabase()
      if (packs > 0)
        scale.push(
          await measureLarge(set, packs, {
            database: 'Postgres',
            url,
            openIndex: () => openPostgresIndex(url),
          }),
        )
    }
    const results = { machine: describeMachine(), load: loadavg()[1] ?? 0, set: set.name, quality, scale }
    process.stdout.write(formatSearch(results))
    if (flags.database === undefined && packs >= 10_000) await save(root, results)
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function save(root: string, results: SearchResults): Promise<void> {
  const folder = join(root, 'bench/results')
  await writeFile(join(folder, 'search.json'), `${JSON.stringify(results, null, 2)}\n`)
  await writeFile(join(folder, 'search.md'), formatSearch(results))
}

async function measureDatabase(
  { versions, queries }: QuerySet,
  url: string,
): Promise<EngineQuality['figures']> {
  const { catalog, search } = await openSearch(url)
  await catalog.packs.commit(versions)
  const costs = await readCosts(catalog, versions)
  const figures = await measureQuality(queries, async (text) => nameHits(await search(text)), costs)
  await catalog.close()
  return figures
}

async function measurePlain({ versions, queries }: QuerySet, url: string): Promise<EngineQuality['figures']> {
  const { catalog } = await openSearch(url)
  await catalog.packs.commit(versions)
  const costs = await readCosts(catalog, versions)
  await catalog.close()
  return measureQuality(queries, createPlainSearch(versions), costs)
}

function measureLarge(
  { documents, queries }: QuerySet,
  packs: number,
  target: Parameters<typeof measureScale>[0],
): Promise<ScaleFigures> {
  const makePack = createPackMaker(documents.map(({ text }) => text))
  const published = documents.filter(({ tokens }) => tokens < 8000).slice(0, PUBLISHED)
  return measureScale(target, packs, makePack, {
    queries: queries.map(({ text }) => text),
    documents: published,
  })
}
