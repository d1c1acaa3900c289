import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { LentDatabase } from '../../src/open-catalog.ts'
import {
  createSharedDelay,
  createSharedRateLimiter,
  type SharedDelay,
  type SharedRateLimiter,
} from '../../src/rate-limits/create-rate-limiter.ts'
import { describeDatabases } from '../../../test-kit/test/test-database.ts'

const at = (seconds: number): Date => new Date(1_772_366_400_000 + seconds * 1000)

describeDatabases('in %s', (database) => {
  /** Opens the database as often as there would be processes. */
  async function open(count: number): Promise<LentDatabase[]> {
    const url = await database.createCatalog()
    const catalogs = await Promise.all(Array.from({ length: count }, () => database.open(url)))
    return catalogs.map((catalog) => catalog.database)
  }

  describe('a shared rate limiter', () => {
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

  describe('a shared delay', () => {
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
})
