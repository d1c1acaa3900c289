// `pnpm bench:catalog`: reads, lists, searches and size of the catalog in both databases; saved in bench/results.
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../packages/catalog/test/start-postgres.ts'
import { formatCatalog } from './catalog/format-catalog.ts'
import { createVersionMaker } from './catalog/make-versions.ts'
import { measureCatalog } from './catalog/measure-catalog.ts'
import { openPostgresYardstick, openSqliteYardstick } from './catalog/open-yardsticks.ts'
import { describeMachine } from './results.ts'

const { values: flags } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const sizes = flags.quick ? [1000, 10_000] : [10_000, 100_000]
const roundMs = flags.quick ? 100 : 500

const root = fileURLToPath(new URL('..', import.meta.url))
const makeVersion = createVersionMaker(root)
const folder = mkdtempSync(join(tmpdir(), 'packs-bench-'))
const server = await startPostgres()
try {
  const path = join(folder, 'catalog.sqlite')
  const url = await server.createDatabase()
  const sqlite = { database: 'SQLite', url: path, open: () => openSqliteYardstick(path) }
  const postgres = { database: 'Postgres', url, open: () => openPostgresYardstick(url) }
  const figures = [
    ...(await measureCatalog(sqlite, sizes, makeVersion, roundMs)),
    ...(await measureCatalog(postgres, sizes, makeVersion, roundMs)),
  ]
  const machine = describeMachine()
  const load = loadavg()[1] ?? 0
  const report = formatCatalog(machine, load, figures)
  process.stdout.write(report)
  if (!flags.quick) {
    const results = join(root, 'bench/results')
    await writeFile(join(results, 'catalog.json'), `${JSON.stringify({ machine, load, figures }, null, 2)}\n`)
    await writeFile(join(results, 'catalog.md'), report)
  }
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
