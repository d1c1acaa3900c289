import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { openCatalog, type Catalog, type CatalogOptions } from '@packs/catalog'
import pg from 'pg'
import { describe } from 'vitest'
import { closeLater } from './close-later.ts'
import { makeFolder } from './run-pack.ts'
import { startPostgres, type TestPostgres } from './start-postgres.ts'

/** A kind of database to run the contract tests on. Those made outside of tests exist until the tests of the file have ended. */
export interface TestDatabase {
  /** Creates an empty database and returns its URL. */
  create(): Promise<string>
  /** Creates an empty catalog and returns its URL. */
  createCatalog(): Promise<string>
  /** Opens a catalog that is closed when the test ends. */
  open(url: string, options?: Omit<CatalogOptions, 'url'>): Promise<Catalog>
  /** Runs SQL outside of the catalog. */
  run(url: string, sql: string): Promise<void>
  /** Takes the commit lock and returns a function that releases it. */
  lock(url: string): Promise<() => Promise<void>>
}

export function startSqliteTests(): Promise<TestDatabase> {
  const folder = makeFolder()
  let count = 0
  const create = (): Promise<string> => Promise.resolve(join(folder, `${++count}`, 'catalog.sqlite'))
  let template: Promise<string> | undefined
  return Promise.resolve({
    create,
    async createCatalog() {
      const [from, to] = [await (template ??= createSqliteTemplate(await create())), await create()]
      mkdirSync(dirname(to))
      for (const suffix of ['', '.quota']) copyFileSync(from + suffix, to + suffix)
      return to
    },
    open: openLater,
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
  })
}

/** Creates the catalog that others are copied from, which takes a third of the time of another one. */
async function createSqliteTemplate(url: string): Promise<string> {
  await (await openCatalog({ url })).close()
  return url
}

/** Starts a Postgres until the test ends or, outside of tests, those of the file. */
export async function usePostgres(own = false): Promise<TestPostgres> {
  const server = await startPostgres(own)
  closeLater(() => server.stop())
  return server
}

export async function startPostgresTests(): Promise<TestDatabase> {
  const server = await usePostgres()
  return {
    open: openLater,
    create: () => server.createDatabase(),
    async createCatalog() {
      const url = await server.createCatalog()
      closeLater(() => server.giveBack(url))
      return url
    },
    run: async (url, sql) => void (await server.run(url, sql)),
    async lock(url) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query('begin')
      await client.query('update catalog_state set sequence = sequence')
      return () => client.end()
    },
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
    await body(await start(), kind)
  })
}

async function openLater(url: string, options: Omit<CatalogOptions, 'url'> = {}): Promise<Catalog> {
  const catalog = await openCatalog({ ...options, url })
  closeLater(() => catalog.close())
  return catalog
}

/** Opens a new catalog in a file, or one at a URL, until the test ends. Another process can open it by `url`. */
export async function openTestCatalog(
  url: string = join(makeFolder(), 'catalog.sqlite'),
  options: Omit<CatalogOptions, 'url'> = {},
): Promise<{ readonly catalog: Catalog; readonly url: string }> {
  return { catalog: await openLater(url, options), url }
}
