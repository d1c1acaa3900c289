// `pnpm bench:migrate`: how long readers and writers of an older program wait while the catalog is migrated.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../packages/catalog/test/start-postgres.ts'
import { fillOldCatalog } from './migrate/fill-old-catalog.ts'
import { formatMigrate, type MigrationFigures } from './migrate/format-migrate.ts'
import type { MigratorFigures } from './migrate/migrator.ts'
import { runProgram, runWithClients } from './migrate/run-with-clients.ts'
import { describeMachine } from './results.ts'

const HELP = `pnpm bench:migrate [--packs N] [--old FOLDER] [--database sqlite|postgres]

  --packs N        packs in the database (300000)
  --old FOLDER     also measures the program in this folder, an older workspace
  --database KIND  only this database

A run with 300,000 packs of both databases and --old is saved as bench/results/migrate.json and migrate.md.
`

/** Time of the yardstick: the same clients without a migration. */
const YARDSTICK_MS = 20_000

const { values: flags } = parseArgs({
  options: {
    packs: { type: 'string', default: '300000' },
    old: { type: 'string' },
    database: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (flags.help) process.stdout.write(HELP)
else await main()

async function main(): Promise<void> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const packs = Number(flags.packs)
  const program = (folder: string): string => join(folder, 'packages/catalog/src/open-catalog.ts')
  const programs = [
    ...(flags.old === undefined ? [] : [{ program: 'before', path: program(resolve(flags.old)) }]),
    { program: 'now', path: program(root) },
  ]
  const figures: MigrationFigures[] = []
  const migrator = fileURLToPath(new URL('./migrate/migrator.ts', import.meta.url))
  const measure = async (database: string, name: string, path: string, url: string): Promise<void> => {
    process.stderr.write(`${database}, ${name}\n`)
    const { reader, writer } = await runWithClients(url, 'without', () => wait(YARDSTICK_MS))
    const during = await runWithClients(url, 'during', () =>
      runProgram<MigratorFigures>(migrator, [url, path]),
    )
    figures.push({
      database,
      program: name,
      yardstick: { reader, writer },
      migration: { reader: during.reader, writer: during.writer },
      ...during.result,
    })
  }

  const folder = mkdtempSync(join(tmpdir(), 'packs-bench-'))
  try {
    if (flags.database !== 'postgres') {
      const filled = join(folder, 'filled.sqlite')
      await fillOldCatalog(filled, packs)
      for (const { program: name, path } of programs) {
        const url = join(folder, `${name}.sqlite`)
        copyFileSync(filled, url)
        await measure('SQLite', name, path, url)
        for (const end of ['', '-wal', '-shm', '.quota']) rmSync(`${url}${end}`, { force: true })
      }
    }
    if (flags.database !== 'sqlite') {
      const server = await startPostgres()
      try {
        const filled = await server.createDatabase()
        await fillOldCatalog(filled, packs)
        for (const { program: name, path } of programs) {
          const url = await server.createDatabase(`template ${new URL(filled).pathname.slice(1)}`)
          await measure('Postgres', name, path, url)
        }
      } finally {
        await server.stop()
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const machine = describeMachine()
  const load = loadavg()[2] ?? 0
  const report = formatMigrate(machine, load, packs, figures)
  process.stdout.write(report)
  if (packs < 300_000 || figures.length < 4) return
  const results = join(root, 'bench/results')
  await writeFile(
    join(results, 'migrate.json'),
    `${JSON.stringify({ machine, load, packs, figures }, null, 2)}\n`,
  )
  await writeFile(join(results, 'migrate.md'), report)
}
