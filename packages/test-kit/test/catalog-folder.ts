import { join } from 'node:path'
import { openCatalog, type Catalog } from '@packs/catalog'
import { changeDatabase } from './change-database.ts'
import { closeLater } from './close-later.ts'
import { runInProcess, type Printed } from './run-in-process.ts'
import { makeFolder } from './run-pack.ts'

export interface CatalogFolder {
  readonly cwd: string
  /** Runs the program in the folder. */
  readonly run: (...args: string[]) => Promise<Printed>
  /** Opens the catalog in the folder, until the test ends. */
  readonly open: (now?: () => Date) => Promise<Catalog>
  /** Changes the database of the catalog with SQL. */
  readonly change: (sql: string) => void
}

/** Makes a folder whose commands use an embedded catalog in its folder `data`, and no queue. */
export function makeCatalogFolder(
  files: Readonly<Record<string, string>> = {},
  own: Readonly<Record<string, string>> = {},
): CatalogFolder {
  const cwd = makeFolder(files)
  const url = join(cwd, 'data', 'catalog.sqlite')
  return {
    cwd,
    run: (...args) =>
      runInProcess(args, { cwd, env: { DATABASE_URL: '', REDIS_URL: '', PACK_DATA: 'data', ...own } }),
    async open(now) {
      const catalog = await openCatalog({ url, ...(now && { now }) })
      closeLater(() => catalog.close())
      return catalog
    },
    change: (sql) => changeDatabase(url, sql),
  }
}

/** Reads what a command printed with --json, to compare it. */
export function readJson({ stdout }: Printed): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>
}
