import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCatalog, type MigrationProgress } from '@packs/catalog'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../src/database/open-database.ts'
import { migrate, migrations } from '../src/migrations/migrate.ts'
import { createPackRow } from '../src/packs/pack-row.ts'
import { createVersionRow } from '../src/packs/version-row.ts'
import { makeVersion } from './make-version.ts'
import { createLaterStep } from './migrations/later-step.ts'
import { createOldDatabase, describeDatabase, readExpected } from './migrations/old-database.ts'
import { openOldProgram } from './migrations/old-program.ts'
import { openRawClient } from './migrations/raw-client.ts'
import { startPostgres, type TestPostgres } from './start-postgres.ts'
import { startScript, type RunningScript } from './migrations/start-script.ts'

const MIGRATE = new URL('./processes/migrate.ts', import.meta.url)
const OLD_PROGRAM = new URL('./processes/old-program.ts', import.meta.url)
const STEPS = ['0003-list-orders', '0004-job-owners', '0005-source-times'] as const
const DAY_MS = 24 * 60 * 60 * 1000

let postgres: TestPostgres
const folder = mkdtempSync(join(tmpdir(), 'packs-migrations-'))
let count = 0

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
})

const databases = {
  sqlite: () => Promise.resolve(join(folder, `${++count}.sqlite`)),
  postgres: () => postgres.createDatabase(),
}

describe.each(['sqlite', 'postgres'] as const)('a migration in %s', (type) => {
  const createOld = async (): Promise<string> => {
    const url = await databases[type]()
    await createOldDatabase(url)
    return url
  }
  const startMigration = (url: string, freezeAt = '', rows = 3): RunningScript =>
    startScript(MIGRATE, [url, freezeAt, `${rows}`])

  it('leaves the schema and the rows that one transaction left', async () => {
    const url = await createOld()
    await startMigration(url).end()
    expect(await describeDatabase(url)).toEqual(readExpected(type))
  })

  it('continues after it was killed in any phase', async () => {
    const url = await createOld()
    const [orders, , times] = STEPS
    const places = [
      `started ${orders}`,
      `up ${orders}`,
      `first batch ${orders}`,
      `later batch ${orders}`,
      `filled ${orders}`,
      `indexing ${orders} packs_by_tokens`,
      `done ${orders}`,
      `up 0004-job-owners`,
      `up ${times}`,
      `first batch ${times}`,
      `later batch ${times}`,
      `filled ${times}`,
      `indexing ${times} sources_by_time`,
    ]
    for (const place of places) {
      const program = startMigration(url, place)
      await program.sees(place)
      await program.kill()
    }
    await startMigration(url).end()
    expect(await describeDatabase(url)).toEqual(readExpected(type))
  })

  it('is done once by several processes that start together', async () => {
    const url = await createOld()
    await Promise.all([1, 2, 3].map(() => startMigration(url).end()))
    expect(await describeDatabase(url)).toEqual(readExpected(type))
  })

  it('lets the program of step 0002 read and write in all its phases and afterwards', async () => {
    const url = await createOld()
    const old = startScript(OLD_PROGRAM, [url, 'old'])
    let seen = 0
    const seesMore = async (): Promise<void> => {
      seen = old.lines.length + 2
      await old.sees(`old-${seen}`)
    }
    await seesMore()
    for (const place of [
      ...['started', 'filled', 'indexing', 'done'].map((action) => findPosition(action, '0003-list-orders')),
      ...['started', 'filled', 'indexing'].map((action) => findPosition(action, '0005-source-times')),
    ]) {
      const program = startMigration(url, place, 50)
      await program.sees(place)
      await seesMore()
      await program.kill()
    }
    await startMigration(url, '', 50).end()
    await seesMore()
    const rounds = (await old.end()).length

    const later = new Date(Date.now() + 31 * DAY_MS)
    const catalog = await openCatalog({ url, now: () => later })
    const { packs } = await catalog.packs.list({ limit: 5000, offset: 0, order: 'saved' })
    const expected = [
      ...Array.from({ length: rounds }, (_, round) => `old-${rounds - 1 - round}`),
      ...Array.from({ length: rounds }, (_, round) => `old-${round}-old`),
    ]
    expect(packs.map(({ slug }) => slug).filter((slug) => slug.startsWith('old-'))).toEqual(expected)
    // A put removes up to a hundred; the fixture has a few more.
    for (let round = 0; round <= rounds / 100 + 1; round++)
      await catalog.sources.put(Buffer.from(`later ${round}`))
    const kept = await Promise.all(
      Array.from({ length: rounds }, async (_, round) => [
        await catalog.sources.get(hash(`# old-${round}`)).then((bytes) => bytes?.toString()),
        await catalog.sources.get(hash(`# draft of old-${round}`)).then((bytes) => bytes?.toString()),
      ]),
    )
    expect(kept).toEqual(Array.from({ length: rounds }, (_, round) => [`# old-${round}`, undefined]))
    await catalog.close()
  })

  it('keeps a source that the program of step 0002 stores again or commits after it', async () => {
    const url = await createOld()
    await startMigration(url).end()
    const client = await openRawClient(url)
    const old = await openOldProgram(url)
    const readTimes = async (): Promise<unknown[]> => {
      const texts = ['stored again', 'committed', 'committed twice']
      const rows = await client.run(
        `select asked_at from sources where sha256 in (${texts.map((text) => `'${hash(text)}'`).join(', ')})
         order by sha256`,
      )
      return rows.map(({ asked_at }) => asked_at)
    }
    for (const text of ['stored again', 'committed', 'committed twice']) await old.putSource(text)
    const today = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(await readTimes()).toEqual([today, today, today])
    await client.run(`update sources set asked_at = '2026-01-01T00:00:00.000Z' where asked_at is not null`)
    await old.putSource('stored again')
    await old.commit([
      { slug: 'x', sourceText: 'committed' },
      { slug: 'y', sourceText: 'committed twice' },
    ])
    await old.commit([{ slug: 'y', version: '1.1.0', sourceText: 'committed twice' }])
    await old.putSource('committed twice')
    const again = expect.not.stringContaining('2026-01-01') as string
    const times = { 'stored again': again, committed: null, 'committed twice': null }
    const expected = Object.entries(times).toSorted(([a], [b]) => (hash(a) < hash(b) ? -1 : 1))
    expect(await readTimes()).toEqual(expected.map(([, time]) => time))
    await old.close()
    await client.close()
  })

  it('passes over a damaged summary', async () => {
    const url = await createOld()
    const client = await openRawClient(url)
    await client.run(`update versions set summary = 'garbage' where sequence = 1`)
    await startMigration(url).end()
    const rows = await client.run('select net_savings from packs where number <= 3 order by number')
    expect(rows.map(({ net_savings }) => net_savings)).toEqual([0, 4450, 0])
    await client.close()
  })

  it('reports what it does, and nothing on a new database', async () => {
    const reports: MigrationProgress[] = []
    const report = (progress: MigrationProgress): unknown => reports.push(progress)
    await (await openCatalog({ url: await databases[type](), onMigration: report })).close()
    expect(reports).toEqual([])
    await (await openCatalog({ url: await createOld(), onMigration: report })).close()
    expect(reports.filter(({ step }) => step === '0005-source-times')).toEqual([
      { action: 'started', step: '0005-source-times' },
      { action: 'filled', step: '0005-source-times', rows: 14 },
      { action: 'indexing', step: '0005-source-times', index: 'sources_by_time' },
      { action: 'done', step: '0005-source-times' },
    ])
  })

  it('lets a program go on and start that does not know its step, if the step says so', async () => {
    const url = await databases[type]()
    const running = await openCatalog({ url })
    await running.packs.commit([makeVersion({ slug: 'a' })])
    const migrateLater = async (olderMayContinue: boolean): Promise<void> => {
      const database = await openDatabase({
        url,
        now: () => new Date(),
        lockTimeout: 10_000,
        readOnly: false,
      })
      await migrate(database, { steps: [...migrations, createLaterStep(olderMayContinue)] })
      await database.close()
    }
    await migrateLater(true)
    await running.packs.commit([makeVersion({ slug: 'b' })])
    for (const readOnly of [false, true]) {
      const started = await openCatalog({ url, readOnly })
      expect((await started.packs.list({ limit: 9, offset: 0 })).packs.map(({ slug }) => slug)).toEqual([
        'a',
        'b',
      ])
      await started.close()
    }
    await migrateLater(false)
    await running.packs.commit([makeVersion({ slug: 'c' })])
    for (const readOnly of [false, true])
      await expect(openCatalog({ url, readOnly })).rejects.toMatchObject({
        code: 'schema_too_new',
        message: expect.stringContaining('the step 9001-later is unknown'),
      })
    await running.close()
  })

  it('to figures leaves the versions without any, while the program before goes on', async () => {
    const url = await databases[type]()
    const open = () => openDatabase({ url, now: () => new Date(), lockTimeout: 10_000, readOnly: false })
    const older = await open()
    const before = migrations.slice(0, -1)
    expect(migrations.at(-1)!.name).toBe('0012-figures')
    await migrate(older, { steps: before })
    const commit = async (slug: string, sequence: number) => {
      const row = createVersionRow(makeVersion({ slug }), sequence, {
        sequence,
        updated_at: '2026-03-01T00:00:00.000Z',
      })
      const { pack } = makeVersion({ slug })
      const position = { sequence, updated_at: row.published_at }
      await older.queries
        .insertInto('packs')
        .values(createPackRow(pack, position, older.dialect))
        .execute()
      await older.queries.insertInto('versions').values(row).execute()
    }
    await commit('a', 1)
    const catalog = await openCatalog({ url })
    await commit('b', 2)
    await migrate(older, { steps: before })
    const list = async () =>
      (await catalog.packs.list({ limit: 9, offset: 0 })).packs.map(({ slug, prompt_tokens }) => [
        slug,
        prompt_tokens,
      ])
    expect(await list()).toEqual([
      ['a', undefined],
      ['b', undefined],
    ])
    await catalog.search.indexWaiting()
    expect(await list()).toEqual([
      ['a', 9],
      ['b', 9],
    ])
    await catalog.close()
    await older.close()
  })

  it('of an unknown step that an older program recorded is refused', async () => {
    const url = await createOld()
    const client = await openRawClient(url)
    await client.run(`insert into catalog_migrations (name, applied_at) values ('9000-later', '2030-01-01')`)
    await client.close()
    await expect(openCatalog({ url })).rejects.toMatchObject({ code: 'schema_too_new' })
  })
})

/** The place in the log at which a migration stops, outside of any transaction. */
function findPosition(action: string, step: string): string {
  const index = step === '0003-list-orders' ? 'packs_by_net_savings' : 'sources_by_time'
  return action === 'indexing' ? `${action} ${step} ${index}` : `${action} ${step}`
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
