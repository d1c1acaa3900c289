import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { openCatalog, type Catalog, type CatalogOptions } from '@packs/catalog'
import pg from 'pg'
import { startPostgres } from './start-postgres.ts'

/** A kind of database that the contract is tried on. */
export interface TestDatabase {
  /** The address of an empty database. */
  create(): Promise<string>
  /** Opens a catalog that is closed in the end. */
  open(url: string, options?: Omit<CatalogOptions, 'url'>): Promise<Catalog>
  /** Runs SQL behind the catalog's back. */
  run(url: string, sql: string): Promise<void>
  /** Takes the lock of commits and keeps it until the function it gives is called. */
  lock(url: string): Promise<() => Promise<void>>
  /** Closes the catalogs that were opened. */
  closeAll(): Promise<void>
  /** Removes everything. */
  stop(): Promise<void>
}

export function startSqliteTests(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'packs-catalog-'))
  let count = 0
  return Promise.resolve({
    ...trackCatalogs(),
    create: () => Promise.resolve(join(folder, `${++count}`, 'catalog.sqlite')),
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

export async function startPostgresTests(): Promise<TestDatabase> {
  const server = await startPostgres()
  return {
    ...trackCatalogs(),
    create: () => server.createDatabase(),
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

function trackCatalogs(): Pick<TestDatabase, 'open' | 'closeAll'> {
  const opened: Catalog[] = []
  return {
    async open(url, options = {}) {
      const catalog = await openCatalog({ ...options, url })
      opened.push(catalog)
      return catalog
    },
    async closeAll() {
      for (const catalog of opened.splice(0)) await catalog.close()
    },
  }
}
