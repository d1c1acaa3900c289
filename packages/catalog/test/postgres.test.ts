import { openCatalog } from '@packs/catalog'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { describeCatalog } from './describe-catalog.ts'
import { holdTransaction } from './hold-transaction.ts'
import { makeVersion } from './make-version.ts'
import { startPostgres, type TestPostgres } from './start-postgres.ts'
import { startPostgresTests } from './test-database.ts'

describeCatalog('Postgres', startPostgresTests)

describe('a Postgres server', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  it('that is not there is told without the password', async () => {
    const error: unknown = await openCatalog({
      url: 'postgres://ada:hunter2@127.0.0.1:1/packs',
      lockTimeout: 2000,
    }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'catalog_unavailable',
      message: 'The database cannot answer: no connection (ECONNREFUSED)',
    })
    expect(JSON.stringify(error)).not.toContain('hunter2')
  })

  it('that has no such database, or refuses the password, says so and what to look at', async () => {
    const url = new URL(await server.createDatabase())
    const missing = new URL(url)
    missing.pathname = '/nothing'
    await expect(openCatalog({ url: missing.href })).rejects.toThrow(/no database of this name/)
    const wrong = new URL(url)
    wrong.password = 'wrong'
    await expect(openCatalog({ url: wrong.href })).rejects.toMatchObject({
      message: 'The database cannot answer: it refuses the user or the password',
      hint: expect.stringContaining('its address and password') as string,
    })
  })

  it('whose database is not UTF-8 is refused', async () => {
    const url = await server.createDatabase(`encoding 'SQL_ASCII' locale 'C' template template0`)
    await expect(openCatalog({ url })).rejects.toMatchObject({
      code: 'catalog_unavailable',
      message: 'The database is encoded in SQL_ASCII',
    })
  })

  it('whose user may not add pg_trgm is told who may', async () => {
    const url = new URL(await server.createDatabase())
    await server.run(
      url.href,
      `create role reader login password 'p'; grant create on schema public to reader`,
    )
    url.username = 'reader'
    url.password = 'p'
    await expect(openCatalog({ url: url.href })).rejects.toMatchObject({
      code: 'catalog_unavailable',
      hint: expect.stringContaining('CREATE EXTENSION pg_trgm'),
    })
  })

  it('that ends the sessions is used again when it is back', async () => {
    const url = await server.createDatabase()
    const catalog = await openCatalog({ url })
    await server.run(
      url,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    // A session may be taken for alive until it is used; each costs one answer at most.
    const isBack = async (): Promise<boolean> =>
      catalog.sequence().then(
        (sequence) => sequence === 0,
        (error: { code: string }) => {
          expect(error.code).toBe('catalog_unavailable')
          return false
        },
      )
    await vi.waitUntil(isBack, 60_000)
    expect(await catalog.sequence()).toBe(0)
    await catalog.close()
  })

  it('that ends a session in the middle of a commit leaves the process alive, and nothing half-written', async () => {
    const url = await server.createDatabase()
    const catalog = await openCatalog({ url })
    const held = await holdTransaction(url, 'lock table versions in share mode')
    const commit = catalog.packs.commit([makeVersion({ slug: 'tls' })]).catch((error: unknown) => error)
    await vi.waitUntil(
      async () => (await held.ask('select 1 from pg_locks where not granted')).length > 0,
      30_000,
    )
    await held.ask('select pg_terminate_backend(pid) from pg_locks where not granted')
    expect(await commit).toMatchObject({ code: 'catalog_unavailable' })
    await held.release()
    expect(await catalog.packs.head('tls')).toBeUndefined()
    expect(await catalog.packs.commit([makeVersion({ slug: 'tls' })])).toMatchObject([{ sequence: 1 }])
    await catalog.close()
  })
})
