import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { LentDatabase } from '../../src/open-catalog.ts'
import { openCatalog } from '../../src/open-catalog.ts'
import { createSharedDelay, type SharedDelay } from '../../src/rate-limits/create-rate-limiter.ts'
import { startPostgres, type TestPostgres } from '../../../test-kit/src/start-postgres.ts'

let postgres: TestPostgres
const folder = mkdtempSync(join(tmpdir(), 'packs-delays-'))

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

  /** Tries once at the first moment that is allowed, and returns the wait that the next attempt was told. */
  async function failUntilReady(delay: SharedDelay, second: number): Promise<number> {
    expect(await delay.take('ann', at(second))).toBe(0)
    return delay.take('ann', at(second))
  }

  it('grows from none to a minute, whichever process is asked, and stays there', async () => {
    const delays = (await open(2)).map((database) => createSharedDelay(database, { kind: 'a' }))
    const waits: number[] = []
    let second = 0
    for (let turn = 0; turn < 4; turn++) expect(await delays[turn % 2]!.take('ann', at(0))).toBe(0)
    for (let turn = 0; turn < 9; turn++) {
      const wait = await failUntilReady(delays[turn % 2]!, second)
      waits.push(wait)
      second += wait
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
  })

  it('is not extended by attempts that are refused, and lets exactly one of many through when it ends', async () => {
    const delays = (await open(3)).map((database) => createSharedDelay(database, { kind: 'a' }))
    const many = await Promise.all(
      Array.from({ length: 60 }, (_, turn) => delays[turn % 3]!.take('ann', at(0))),
    )
    expect(many.toSorted((a, b) => a - b)).toEqual([...Array(5).fill(0), ...Array(55).fill(1)])
    const next = await Promise.all(
      Array.from({ length: 30 }, (_, turn) => delays[turn % 3]!.take('ann', at(1))),
    )
    expect(next.toSorted((a, b) => a - b)).toEqual([0, ...Array(29).fill(2)])
  })

  it('is forgotten after success or an hour, and counts each name and kind apart', async () => {
    const [database] = await open(1)
    const delay = createSharedDelay(database!, { kind: 'a' })
    for (let turn = 0; turn < 5; turn++) await delay.take('ann', at(0))
    expect(await delay.take('ann', at(0))).toBe(1)
    expect(await delay.take('bob', at(0))).toBe(0)
    expect(await createSharedDelay(database!, { kind: 'b' }).take('ann', at(0))).toBe(0)
    await delay.clear('ann')
    for (let turn = 0; turn < 5; turn++) expect(await delay.take('ann', at(0))).toBe(0)
    expect(await delay.take('ann', at(0))).toBe(1)
    for (let turn = 0; turn < 5; turn++) expect(await delay.take('ann', at(3600))).toBe(0)
    expect(await delay.take('ann', at(3600))).toBe(1)
  })

  it('survives clocks that differ, and stores no name', async () => {
    const [database] = await open(1)
    const delay = createSharedDelay(database!, { kind: 'a' })
    for (let turn = 0; turn < 30; turn++) await delay.take('ann', at(turn * 3))
    expect(await delay.take('ann', at(-5))).toBe(60)
    expect(await delay.take('ann', at(-8000))).toBe(0)
    const rows = (await sql`select * from sign_in_limits`.execute(database!.db)).rows
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('ann')
  })
})
