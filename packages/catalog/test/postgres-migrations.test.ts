import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../src/database/open-database.ts'
import type { Database } from '../src/database/dialect.ts'
import { toCatalogError } from '../src/database/translate-failures.ts'
import { migrate, migrations, type MigrateOptions } from '../src/migrations/migrate.ts'
import { holdTransaction, type HeldTransaction } from './hold-transaction.ts'
import { createOldDatabase, describeDatabase, readExpected } from './migrations/old-database.ts'
import { openRawClient } from './migrations/raw-client.ts'
import { startPostgres, type TestPostgres } from './start-postgres.ts'
import { startScript } from './migrations/start-script.ts'

const MIGRATE = new URL('./processes/migrate.ts', import.meta.url)
const INDEX = 'packs_by_change'
/** Sees a transaction as long as it lasts: an index is not created concurrently before it ends. */
const SNAPSHOT = 'set transaction isolation level repeatable read; select 1'

describe('a migration in Postgres, while another session holds locks', () => {
  let server: TestPostgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  const createOld = async (): Promise<string> => {
    const url = await server.createDatabase()
    await createOldDatabase(url)
    return url
  }

  it('lets others read behind a long reader, and goes on when it ends', async () => {
    const url = await createOld()
    const reader = await holdTransaction(url, 'select * from packs')
    const program = startScript(MIGRATE, [url])
    await program.sees('locked 0003-list-orders')
    expect(await reader.ask('select count(*) as packs from packs')).toEqual([{ packs: '7' }])
    await reader.ask(`update packs set tokens = 5 where number = 1`)
    await vi.waitUntil(
      () => program.lines.filter((line) => line === 'locked 0003-list-orders').length > 2,
      30_000,
    )
    await reader.release()
    await program.end()
    expect(await describeDatabase(url)).toEqual(readExpected('postgres'))
  })

  it('creates an index again that was interrupted', async () => {
    const url = await createOld()
    const other = await holdTransaction(url, SNAPSHOT)
    const program = startScript(MIGRATE, [url])
    await waitForIndex(other)
    await other.ask(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'packs migration'`,
    )
    await expect(program.end()).rejects.toThrow('migrate.ts failed')
    expect(await readIndex(other)).toEqual([{ indisvalid: false }])
    await other.release()
    await startScript(MIGRATE, [url]).end()
    expect(await describeDatabase(url)).toEqual(readExpected('postgres'))
    const client = await openRawClient(url)
    expect(await client.run('select indexrelid from pg_index where not indisvalid')).toEqual([])
    await client.close()
  })

  it('waits for another process that migrates, also one that was killed while the server works for it', async () => {
    const url = await createOld()
    const other = await holdTransaction(url, SNAPSHOT)
    const first = startScript(MIGRATE, [url])
    await waitForIndex(other)
    await first.kill()
    const second = startScript(MIGRATE, [url])
    await second.sees('waiting 0003-list-orders')
    expect(await other.ask('select slug from packs where number = 2')).toEqual([{ slug: 'b' }])
    await other.release()
    expect((await second.end()).at(-1)).toBe('done')
    expect(await describeDatabase(url)).toEqual(readExpected('postgres'))
  })

  it('gives up with a reason if a lock or another process never comes free', async () => {
    const url = await createOld()
    const steps = migrations.slice(0, 5)
    const pace = { lockMs: 50, patienceMs: 300, stallMs: 300, random: () => 0 }
    const reader = await holdTransaction(url, 'select * from packs')
    await expect(migrateHere(url, { steps, pace })).rejects.toMatchObject({
      code: 'catalog_unavailable',
      message: 'The migration of the database got no lock for 0 s, because another program holds it',
      hint: expect.stringContaining('End long transactions'),
    })
    await reader.release()
    const hanging = await holdTransaction(url, 'select pg_advisory_lock(7205759403)')
    await expect(migrateHere(url, { steps, pace })).rejects.toMatchObject({
      code: 'catalog_unavailable',
      message: 'Another process migrates the database, and has made no progress for 0 s',
      hint: expect.stringContaining('pg_stat_activity'),
    })
    await hanging.release()
    await startScript(MIGRATE, [url]).end()
    expect(await describeDatabase(url)).toEqual(readExpected('postgres'))
  })

  it('ends with its connection, so that no second process works beside it', async () => {
    const url = await createOld()
    const held = await holdTransaction(url, 'select 1')
    const step = migrations[2]!
    const steps = migrations.slice(0, 5).with(2, {
      ...step,
      async up(transaction, database) {
        await step.up(transaction, database)
        await held.ask(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'packs migration'`,
        )
      },
    })
    await expect(migrateHere(url, { steps })).rejects.toMatchObject({ code: 'catalog_unavailable' })
    await held.release()
    await startScript(MIGRATE, [url]).end()
    expect(await describeDatabase(url)).toEqual(readExpected('postgres'))
  })
})

async function migrateHere(url: string, options: MigrateOptions): Promise<void> {
  const database: Database = await openDatabase({
    url,
    now: () => new Date(),
    lockTimeout: 10_000,
    readOnly: false,
  })
  try {
    await migrate(database, options)
  } catch (error) {
    throw toCatalogError(error, database.dialect)
  } finally {
    await database.close()
  }
}

/** Waits until the index exists and its creation waits for a transaction. */
async function waitForIndex(session: HeldTransaction): Promise<void> {
  await vi.waitUntil(async () => {
    const waiting = await session.ask(
      `select 1 from pg_stat_activity where datname = current_database() and application_name = 'packs migration' and wait_event = 'virtualxid'`,
    )
    return waiting.length > 0 && (await readIndex(session)).length > 0
  }, 30_000)
}

function readIndex(session: HeldTransaction): ReturnType<HeldTransaction['ask']> {
  return session.ask(`select indisvalid from pg_index where indexrelid = to_regclass('${INDEX}')`)
}
