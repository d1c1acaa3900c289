import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCatalog } from '@packs/catalog'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startPostgres, type TestPostgres } from '../../../catalog/test/start-postgres.ts'
import type { AuthDatabase } from '../../src/accounts/auth-database.ts'
import { openAuthDatabase } from '../../src/accounts/open-auth-database.ts'
import { createSharedLimiter, type SharedLimiter } from '../../src/security/create-shared-limiter.ts'
import { startSite } from '../start-site.ts'

let postgres: TestPostgres
const folder = mkdtempSync(join(tmpdir(), 'packs-limits-'))

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
})

const addresses = {
  SQLite: () => Promise.resolve(join(folder, `${randomUUID()}.sqlite`)),
  Postgres: () => postgres.createDatabase(),
}
const at = (seconds: number): Date => new Date(1_772_366_400_000 + seconds * 1000)

describe.each(Object.entries(addresses))('in %s', (_name, createAddress) => {
  /** As many connections as there would be processes. */
  async function open(count: number): Promise<AuthDatabase[]> {
    const url = await createAddress()
    const catalog = await openCatalog({ url })
    const databases = await Promise.all(Array.from({ length: count }, () => openAuthDatabase(url)))
    onTestFinished(async () => {
      for (const database of databases) await database.close()
      await catalog.close()
    })
    return databases
  }

  it('two a minute pass, whichever process they come to, and the third is told how long to wait', async () => {
    const limiters = (await open(2)).map((database) =>
      createSharedLimiter(database, { kind: 'a', most: 2, window: 60_000 }),
    )
    const waits: number[] = []
    for (const [turn, second] of [0, 10, 20, 59, 60, 61, 62].entries())
      waits.push(await limiters[turn % 2]!.take('ann@example.com 10.0.0.1', at(second)))
    expect(waits).toEqual([0, 0, 40, 1, 0, 0, 58])
  })

  it('of many at the same moment exactly so many pass', async () => {
    const limiters = (await open(3)).map((database) =>
      createSharedLimiter(database, { kind: 'a', most: 10, window: 60_000 }),
    )
    const waits = await Promise.all(
      Array.from({ length: 30 }, (_, turn) => limiters[turn % 3]!.take('ann', at(0))),
    )
    expect(waits.toSorted((a, b) => a - b)).toEqual([...Array(10).fill(0), ...Array(20).fill(60)])
  })

  it('names, kinds and what was taken back count apart, and clocks may differ', async () => {
    const [database] = await open(1)
    const create = (kind: string): SharedLimiter =>
      createSharedLimiter(database!, { kind, most: 1, window: 60_000 })
    const [first, second] = [create('first'), create('second')]
    expect(
      await Promise.all([first.take('a', at(0)), first.take('b', at(0)), second.take('a', at(0))]),
    ).toEqual([0, 0, 0])
    await first.release('a', at(1))
    expect([await first.take('a', at(2)), await first.take('a', at(-3))]).toEqual([0, 63])
    expect(await first.take('b', at(-3600))).toBe(0)
  })

  it('what is over is deleted, and no name can be read', async () => {
    const [database] = await open(1)
    const limiter = createSharedLimiter(database!, { kind: 'a', most: 1, window: 60_000 })
    const read = async (): Promise<unknown[]> =>
      (await sql`select * from sign_in_limits`.execute(database!.db)).rows
    await limiter.take('ann@example.com', at(0))
    expect(await read()).toHaveLength(1)
    expect(JSON.stringify(await read())).not.toContain('ann')
    await limiter.take('bob@example.com', at(61))
    expect(await read()).toHaveLength(1)
  })

  it('the pages of several processes share what is throttled, and a form is taken once by them together', async () => {
    const url = await createAddress()
    const one = await startSite([], url)
    const two = await startSite([], url)
    onTestFinished(async () => {
      await one.close()
      await two.close()
    })
    const cookie = await one.join('ann@example.com')
    const from = '198.51.100.7'
    const statuses: number[] = []
    for (let turn = 0; turn < 12; turn++) {
      const { statusCode } = await [one, two][turn % 2]!.signIn('ann@example.com', 'wrong horse', from)
      statuses.push(statusCode)
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429])
    const form = { name: 'laptop', token: randomUUID() }
    const made = await one.visit('/settings/keys', { form, cookie })
    const again = await two.visit('/settings/keys', { form, cookie })
    expect([made.statusCode, again.statusCode]).toEqual([200, 409])
  })
})
