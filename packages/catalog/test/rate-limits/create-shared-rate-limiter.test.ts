import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { LentDatabase } from '../../src/open-catalog.ts'
import { openCatalog } from '../../src/open-catalog.ts'
import { createSharedRateLimiter, type SharedRateLimiter } from '../../src/rate-limits/create-rate-limiter.ts'
import { startPostgres, type TestPostgres } from '../../../test-kit/src/start-postgres.ts'

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
  Postgres: () => postgres.createCatalog(),
}
const at = (seconds: number): Date => new Date(1_772_366_400_000 + seconds * 1000)

describe.each(Object.entries(addresses))('in %s', (_name, createAddress) => {
  /** Opens the database as often as there would be processes. */
  async function open(count: number): Promise<LentDatabase[]> {
    const url = await createAddress()
    const catalogs = await Promise.all(Array.from({ length: count }, () => openCatalog({ url })))
    onTestFinished(async () => {
      for (const catalog of catalogs) await catalog.close()
    })
    return catalogs.map(({ database }) => database)
  }

  it('two a minute pass, whichever process they come to, and the third is told how long to wait', async () => {
    const limiters = (await open(2)).map((database) =>
      createSharedRateLimiter(database, { kind: 'a', limit: 2, windowMs: 60_000 }),
    )
    const waits: number[] = []
    for (const [turn, second] of [0, 10, 20, 59, 60, 61, 62].entries())
      waits.push(await limiters[turn % 2]!.take('ann@example.com 10.0.0.1', at(second)))
    expect(waits).toEqual([0, 0, 40, 1, 0, 0, 58])
  })

  it('of many at the same moment exactly so many pass', async () => {
    const limiters = (await open(3)).map((database) =>
      createSharedRateLimiter(database, { kind: 'a', limit: 10, windowMs: 60_000 }),
    )
    const waits = await Promise.all(
      Array.from({ length: 30 }, (_, turn) => limiters[turn % 3]!.take('ann', at(0))),
    )
    expect(waits.toSorted((a, b) => a - b)).toEqual([...Array(10).fill(0), ...Array(20).fill(60)])
  })

  it('names, kinds and what was taken back count apart, and clocks may differ', async () => {
    const [database] = await open(1)
    const create = (kind: string): SharedRateLimiter =>
      createSharedRateLimiter(database!, { kind, limit: 1, windowMs: 60_000 })
    const [first, second] = [create('first'), create('second')]
    expect(
      await Promise.all([first.take('a', at(0)), first.take('b', at(0)), second.take('a', at(0))]),
    ).toEqual([0, 0, 0])
    await first.release('a', at(1))
    expect([await first.take('a', at(2)), await first.take('a', at(-3))]).toEqual([0, 63])
    expect(await first.take('b', at(-3600))).toBe(0)
  })

  it('no name can be read', async () => {
    const [database] = await open(1)
    const limiter = createSharedRateLimiter(database!, { kind: 'a', limit: 1, windowMs: 60_000 })
    await limiter.take('ann@example.com', at(0))
    const { rows } = await sql`select * from sign_in_limits`.execute(database!.db)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('ann')
  })
})
