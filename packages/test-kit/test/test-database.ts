import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { openCatalog, type Catalog, type CatalogOptions } from '@packs/catalog'
import pg from 'pg'
import { describe } from 'vitest'
import { closeLater } from './close-later.ts'
import { startPostgres } from './start-postgres.ts'

/** A kind of database to run the contract tests on. */
export interface TestDatabase {
  /** Creates an empty database and returns its URL. */
  create(): Promise<string>
  /** Creates an empty catalog and returns its URL. */
  createCatalog(): Promise<string>
  /** Opens a catalog that `closeAll` closes, or the end of the test. */
  open(url: string, options?: Omit<CatalogOptions, 'url'>): Promise<Catalog>
  /** Runs SQL outside of the catalog. */
  run(url: string, sql: string): Promise<void>
  /** Takes the commit lock and returns a function that releases it. */
  lock(url: string): Promise<() => Promise<void>>
  /** Closes all opened catalogs. Those that were created may be emptied and returned again. */
  closeAll(): Promise<void>
  /** Removes all databases. */
  stop(): Promise<void>
}

export function startSqliteTests(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'packs-catalog-'))
  let count = 0
  const create = (): Promise<string> => Promise.resolve(join(folder, `${++count}`, 'catalog.sqlite'))
  let template: Promise<string> | undefined
  return Promise.resolve({
    ...trackCatalogs(),
    create,
    async createCatalog() {
      const [from, to] = [await (template ??= createSqliteTemplate(await create())), await create()]
      mkdirSync(dirname(to))
      for (const suffix of ['', '.quota']) copyFileSync(from + suffix, to + suffix)
      return to
    },
    run(url, sql) {
      const connection = new Sqlite(url)
      connection.exec(sql)
      connection.close()
      return Promise.resolve()
    },
    lock(url) {
      const connection = new Sqlite(url)
      connection.exec('begin immediate')
      return Promise.resolve(() => {
        connection.close()
        return Promise.resolve()
      })
    },
    stop() {
      rmSync(folder, { recursive: true, force: true })
      return Promise.resolve()
    },
  })
}

/** Creates the catalog that others are copied from, which takes a third of the time of another one. */
async function createSqliteTemplate(url: string): Promise<string> {
  await (await openCatalog({ url })).close()
  return url
}

export async function startPostgresTests(): Promise<TestDatabase> {
  const server = await startPostgres()
  const created = new Set<string>()
  const giveBack = (url: string): void => {
    if (created.delete(url)) server.giveBack(url)
  }
  const { open, closeAll } = trackCatalogs()
  return {
    open,
    async closeAll() {
      await closeAll()
      for (const url of created) giveBack(url)
    },
    create: () => server.createDatabase(),
    async createCatalog() {
      const url = await server.createCatalog()
      created.add(url)
      closeLater(() => giveBack(url))
      return url
    },
    run: (url, sql) => server.run(url, sql),
    async lock(url) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query('begin')
      await client.query('update catalog_state set sequence = sequence')
      return () => client.end()
    },
    stop: () => server.stop(),
  }
}

/** Describes tests that run in both kinds of database. @param title with `%s` for the kind */
export function describeDatabases(
  title: string,
  body: (database: TestDatabase, kind: 'SQLite' | 'Postgres') => void | Promise<void>,
): void {
  describe.each([
    ['SQLite', startSqliteTests],
    ['Postgres', startPostgresTests],
  ] as const)(title, async (kind, start) => {
    const database = await start()
    closeLater(() => database.stop())
    await body(database, kind)
  })
}

function trackCatalogs(): Pick<TestDatabase, 'open' | 'closeAll'> {
  const opened = new Set<Catalog>()
  const close = async (catalog: Catalog): Promise<void> => {
    if (opened.delete(catalog)) await catalog.close()
  }
  return {
    async open(url, options = {}) {
      const catalog = await openCatalog({ ...options, url })
      opened.add(catalog)
      closeLater(() => close(catalog))
      return catalog
    },
    async closeAll() {
      for (const catalog of opened) await close(catalog)
    },
  }
}
