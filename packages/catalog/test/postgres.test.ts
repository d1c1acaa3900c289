import { openCatalog } from '@packs/catalog'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeCatalog } from './describe-catalog.ts'
import { errorCode } from './error-code.ts'
import { freezePostgres, holdTransaction } from '../../test-kit/test/hold-transaction.ts'
import { makeVersion } from '../../test-kit/test/make-version.ts'
import { openTestCatalog, startPostgresTests, usePostgres } from '../../test-kit/test/test-database.ts'

describeCatalog('Postgres', startPostgresTests)

/** Sessions of this database that wait for a lock. Other tests use other databases of the server. */
const WAITING = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

describe('a Postgres server', async () => {
  const server = await usePostgres()

  it('is reported without the password if it cannot be reached', async () => {
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

  it('is reported with a reason and a hint if it rejects the database or the password', async () => {
    const url = new URL(await server.createDatabase())
    const missing = new URL(url)
    missing.pathname = '/nothing'
    await expect(openCatalog({ url: missing.href })).rejects.toThrow(/no database with this name/)
    const wrong = new URL(url)
    wrong.password = 'wrong'
    await expect(openCatalog({ url: wrong.href })).rejects.toMatchObject({
      message: 'The database cannot answer: it rejected the user or the password',
      hint: expect.stringContaining('its URL and password') as string,
    })
  })

  it('is rejected if the database is not in UTF-8', async () => {
    const url = await server.createDatabase(`encoding 'SQL_ASCII' locale 'C' template template0`)
    await expect(openCatalog({ url })).rejects.toMatchObject({
      code: 'catalog_unavailable',
      message: 'The database is encoded in SQL_ASCII, not in UTF8',
    })
  })

  it('is used again after it has closed all sessions', async () => {
    const url = await server.createDatabase()
    const { catalog } = await openTestCatalog(url)
    await server.run(
      url,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    // A closed session is only noticed when used, so each can fail one query.
    const codes: string[] = []
    const isReachable = async (): Promise<boolean> => {
      codes.push(await errorCode(catalog.sequence()))
      return codes.at(-1) === 'none'
    }
    await vi.waitUntil(isReachable, 60_000)
    expect(codes.filter((code) => code !== 'catalog_unavailable')).toEqual(['none'])
    expect(await catalog.sequence()).toBe(0)
  })

  it('is reported in every query, also of other packages, when it cannot answer for now', async () => {
    const { catalog } = await openTestCatalog(await server.createDatabase())
    const { db } = catalog.database
    const reasons: Record<string, string> = {}
    // Deadlock, lock timeout, statement timeout, end by the administrator, too many connections, full disk, standby, damage.
    for (const state of ['40P01', '55P03', '57014', '57P01', '53300', '53100', '25006', 'XX001']) {
      const raise = sql.raw(`do $$ begin raise exception 'stopped' using errcode = '${state}'; end $$`)
      const error: unknown = await raise.execute(db).catch((reason: unknown) => reason)
      expect([state, error]).toEqual([state, expect.objectContaining({ code: 'catalog_unavailable' })])
      reasons[state] = (error as Error).message.replace('The database cannot answer: ', '')
    }
    expect(reasons).toMatchObject({
      '40P01': 'it rolled back a transaction because of another one',
      '57014': 'a statement took too long',
    })
  })

  it('can close a session during a commit without a crash or a partial commit', async () => {
    const url = await server.createDatabase()
    const { catalog } = await openTestCatalog(url)
    const held = await holdTransaction(url, 'lock table versions in share mode')
    const commit = catalog.packs.commit([makeVersion({ slug: 'tls' })]).catch((error: unknown) => error)
    await vi.waitUntil(async () => (await held.ask(`select 1 ${WAITING}`)).length > 0, 30_000)
    await held.ask(`select pg_terminate_backend(pid) ${WAITING}`)
    expect(await commit).toMatchObject({ code: 'catalog_unavailable' })
    await held.release()
    expect(await catalog.packs.head('tls')).toBeUndefined()
    expect(await catalog.packs.commit([makeVersion({ slug: 'tls' })])).toMatchObject([{ sequence: 1 }])
  })
})

describe('a Postgres server that does not answer', async () => {
  const server = await usePostgres(true)

  it('ends a statement that takes too long', async () => {
    const { catalog } = await openTestCatalog(await server.createDatabase(), { statementTimeout: 100 })
    await expect(sql`select pg_sleep(600)`.execute(catalog.database.db)).rejects.toMatchObject({
      code: 'catalog_unavailable',
      message: 'The database cannot answer: a statement took too long',
    })
  })

  it('fails every query in bounded time while it is frozen, and is used again afterwards', async () => {
    const url = await server.createDatabase()
    const { catalog } = await openTestCatalog(url, { lockTimeout: 500, statementTimeout: 100 })
    await catalog.packs.commit([makeVersion({ slug: 'tls' })])
    const thaw = await freezePostgres(url)
    onTestFinished(thaw)
    const failures = await Promise.all(
      Array.from({ length: 30 }, () => errorCode(catalog.packs.latest('tls'))),
    )
    expect(new Set(failures)).toEqual(new Set(['catalog_unavailable']))
    expect(await errorCode(catalog.state())).toBe('catalog_unavailable')
    thaw()
    const ask = () => Promise.all(Array.from({ length: 30 }, () => catalog.packs.latest('tls')))
    await vi.waitUntil(async () => (await errorCode(ask())) === 'none', 60_000)
    expect((await catalog.packs.latest('tls'))?.version).toBe('1.0.0')
    expect(await errorCode(catalog.state())).toBe('none')
  })
})
