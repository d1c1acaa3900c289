import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startSweeper, type Catalog } from '@packs/catalog'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  createHold,
  sweepExpired,
  type SweepOptions,
} from '../../src/maintenance/create-maintenance-store.ts'
import type { CatalogContext } from '../catalog-context.ts'
import { actor } from '../../../test-kit/test/make-version.ts'

const PROGRAM = fileURLToPath(new URL('../processes/sweep-and-hang.ts', import.meta.url))
const NOW = new Date('2026-03-01T12:00:00.000Z')
const DAY_MS = 24 * 3_600_000
const daysBefore = (days: number): Date => new Date(NOW.getTime() - days * DAY_MS)
const seconds = (count: number): Date => new Date(NOW.getTime() + count * 1000)

interface Round extends Omit<SweepOptions, 'hold'> {
  readonly holder: string
  readonly removed: [string, number][]
  readonly failed: string[]
}

function createRound(holder: string, options: Partial<SweepOptions> = {}): Round {
  const removed: [string, number][] = []
  const failed: string[] = []
  return {
    holder,
    now: () => NOW,
    pause: () => Promise.resolve(),
    onRemoved: (kind, rows) => removed.push([kind, rows]),
    onFailure: (kind) => failed.push(kind),
    ...options,
    removed,
    failed,
  }
}

function sweep(catalog: Catalog, round: Round): Promise<boolean> {
  const hold = createHold(catalog.maintenance, round.holder, round.now)
  return sweepExpired(catalog, { ...round, hold })
}

export function describeSweeps(context: CatalogContext): void {
  const run = async (statement: string): Promise<void> => context.database.run(context.url, statement)
  const count = async (table: string, catalog: Catalog = context.catalog): Promise<number> => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(
      catalog.database.db,
    )
    return Number(rows[0]?.n)
  }
  const addLimits = (rows: number): Promise<void> =>
    run(`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})
      insert into sign_in_limits (name, count, ends) select 'n' || i, 1, 0 from n`)

  describe('the sweep of expired rows', () => {
    it('deletes what has expired of every kind, and keeps what has not', async () => {
      const { catalog, database, url } = context
      const at = (time: Date): Promise<Catalog> => database.open(url, { now: () => time })
      const old = await at(daysBefore(400))
      const { id } = await old.accounts.create({ email: 'ada@example.org', tier: 'free', actor })
      await catalog.accounts.create({ email: 'bob@example.org', tier: 'free', actor, now: NOW })
      const [before, after] = [seconds(-1), seconds(1)].map((time) => time.toISOString())
      await run(`
        insert into sign_in_users values ('u', 'u', 'u', true, null, '${before}', '${before}', null);
        insert into sign_in_sessions values ('old', '${before}', 'a', '${before}', '${before}', null, null, 'u'),
          ('live', '${after}', 'b', '${before}', '${before}', null, null, 'u');
        insert into sign_in_verifications values ('old', 'x', 'y', '${before}', '${before}', '${before}'),
          ('live', 'x', 'y', '${after}', '${before}', '${before}');
        insert into account_codes values ('old', '${id}', 'operator', '${before}'),
          ('live', '${id}', 'operator', '${after}');
        insert into sign_in_limits values ('old', 1, ${NOW.getTime()}), ('live', 1, ${NOW.getTime() + 1});`)
      const ids: string[] = []
      for (const name of ['revoked', 'just-revoked', 'expired', 'just-expired', 'live'])
        ids.push((await old.keys.create({ accountId: id, name, actor }, daysBefore(100))).row.id)
      await old.keys.revoke(ids[0]!, actor, daysBefore(31))
      await old.keys.revoke(ids[1]!, actor, daysBefore(29))
      // A replaced key expires after a day.
      await old.keys.rotate(ids[2]!, actor, daysBefore(32))
      await old.keys.rotate(ids[3]!, actor, daysBefore(30))
      for (const day of ['2026-03-01', '2026-02-22', '2026-02-21']) await catalog.quota.grant(id, day, 9, 1)
      const [stale, young] = [await at(daysBefore(31)), await at(daysBefore(29))]
      const staleSource = await stale.sources.put(Buffer.from('stale'))
      const youngSource = await young.sources.put(Buffer.from('young'))
      const job = { id: 'live', slug: 'a', attempts: 1, owner: null, release: null, data: null }
      const { jobs } = await at(seconds(0))
      await jobs.accept([], () => [{ ...job, state: 'waiting' }])
      await jobs.finish('live', { state: 'failed', error: null, result: null })
      await run(
        `insert into jobs select 'older', slug, state, progress, attempts, error, '${daysBefore(9).toISOString()}', owner, sequence, release, data, result from jobs where id = 'live'`,
      )
      const round = createRound('one')
      expect(await sweep(catalog, round)).toBe(true)
      expect(round.failed).toEqual([])
      expect(Object.fromEntries(round.removed)).toMatchObject({
        sessions: 1,
        verifications: 1,
        codes: 1,
        limits: 1,
        revoked_keys: 1,
        expired_keys: 1,
        quota_days: 1,
        sources: 1,
        jobs: 1,
        audit_log: 1,
      })
      const kept = (await catalog.keys.list(id)).filter((key) => ids.includes(key.id))
      expect(kept.map(({ name }) => name).toSorted()).toEqual(['just-expired', 'just-revoked', 'live'])
      for (const table of ['sign_in_sessions', 'sign_in_verifications']) {
        const { rows } = await sql`select id from ${sql.table(table)}`.execute(catalog.database.db)
        expect(rows).toEqual([{ id: 'live' }])
      }
      expect(await count('sign_in_limits')).toBe(1)
      expect(await count('account_codes')).toBe(1)
      expect([
        await catalog.quota.used(id, '2026-02-21'),
        await catalog.quota.used(id, '2026-02-22'),
      ]).toEqual([0, 1])
      expect([await catalog.sources.get(staleSource), await catalog.sources.get(youngSource)]).toEqual([
        undefined,
        Buffer.from('young'),
      ])
      expect((await catalog.jobs.list(9)).map((found) => found.id)).toEqual(['live'])
      const again = createRound('one')
      await sweep(catalog, again)
      expect(again.removed).toEqual([])
    })

    it('deletes 10,000 rows in batches of at most 500, between which others write', async () => {
      const { catalog, database, url } = context
      await addLimits(10_000)
      const writer = await database.open(url, { lockTimeout: 0 })
      const left: number[] = []
      let batches = 0
      const round = createRound('one', {
        pause: async () => {
          if (++batches % 5 > 0) return
          await writer.settings.setMode('recovery', { message: `${batches}`, actor })
          left.push(await count('sign_in_limits', writer))
        },
      })
      expect(await sweep(catalog, round)).toBe(true)
      expect(left).toEqual(Array.from({ length: 4 }, (_, at) => 10_000 - (at + 1) * 2500))
      expect(Math.max(...round.removed.map(([, rows]) => rows))).toBe(500)
      expect(round.removed).toHaveLength(20)
      expect((await writer.settings.mode()).message).toBe('20')
      expect(await count('sign_in_limits')).toBe(0)
    })

    it('is done by one of two servers, until it stops', async () => {
      const { catalog, database, url } = context
      const other = await database.open(url)
      await addLimits(2000)
      const [first, second] = [createRound('first'), createRound('second')]
      const held = await Promise.all([sweep(catalog, first), sweep(other, second)])
      expect(held.filter(Boolean)).toEqual([true])
      const [winner, loser] = held[0] ? [first, second] : [second, first]
      expect(winner.removed.map(([, rows]) => rows)).toEqual([500, 500, 500, 500])
      expect(loser.removed).toEqual([])
      expect(await sweep(other, createRound('third', { now: () => seconds(149) }))).toBe(false)
      await catalog.maintenance.releaseLease({ name: 'sweep', holder: 'somebody else' })
      expect(await sweep(other, createRound('third', { now: () => seconds(1) }))).toBe(false)
      await catalog.maintenance.releaseLease({ name: 'sweep', holder: winner.holder })
      expect(await sweep(other, createRound('third', { now: () => seconds(1) }))).toBe(true)
    })

    it('is taken over when the server that does it is killed', async () => {
      const { catalog, url } = context
      await addLimits(1200)
      const child = spawn(process.execPath, ['-C', 'source', PROGRAM, url, NOW.toISOString()], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
      expect(line).toBe('limits 500')
      child.kill('SIGKILL')
      await once(child, 'close')
      expect(await count('sign_in_limits')).toBe(700)
      const early = createRound('heir', { now: () => seconds(149) })
      expect(await sweep(catalog, early)).toBe(false)
      expect(early.removed).toEqual([])
      const late = createRound('heir', { now: () => seconds(150) })
      expect(await sweep(catalog, late)).toBe(true)
      expect(late.removed).toEqual([
        ['limits', 500],
        ['limits', 200],
      ])
    })

    it('ignores a lease that ends far in the future, which a wrong clock has set', async () => {
      const { maintenance } = context.catalog
      const lease = { name: 'sweep', lengthMs: 1000 }
      expect(await maintenance.takeLease({ ...lease, holder: 'a', now: seconds(0) })).toBe(true)
      expect(await maintenance.takeLease({ ...lease, holder: 'b', now: seconds(-0.9) })).toBe(false)
      expect(await maintenance.takeLease({ ...lease, holder: 'b', now: seconds(-1.1) })).toBe(true)
    })

    it('reports a kind that fails, sweeps the others, and tries again', async () => {
      const { catalog } = context
      await addLimits(3)
      await run('alter table sign_in_sessions rename to away')
      const finished: Date[] = []
      const failing = createRound('one', { onFinished: (time) => finished.push(time) })
      expect(await sweep(catalog, failing)).toBe(true)
      expect([failing.failed, failing.removed, finished]).toEqual([['sessions'], [['limits', 3]], []])
      await run('alter table away rename to sign_in_sessions')
      await sweep(catalog, createRound('one', { onFinished: (time) => finished.push(time) }))
      expect(finished).toEqual([NOW])
      await run('drop table leases')
      const lost = createRound('one')
      expect(await sweep(catalog, lost)).toBe(false)
      expect(lost.failed).toEqual(['lease'])
    })

    it('begins at once, ends after the batch that is running, and gives its lease back', async () => {
      const { catalog } = context
      await addLimits(5000)
      const { promise, resolve } = Promise.withResolvers<unknown>()
      const sweeper = startSweeper(catalog, { onRemoved: resolve })
      await promise
      await sweeper.stop()
      const left = await count('sign_in_limits')
      expect([left % 500, left > 0]).toEqual([0, true])
      expect(await count('leases')).toBe(0)
    })

    it('finds expired rows of large tables by an index', async () => {
      const { db, type } = context.catalog.database
      const isPostgres = type === 'postgres'
      const indexes = await (
        isPostgres
          ? sql<{ name: string }>`select indexname as name from pg_indexes`
          : sql<{ name: string }>`select name from sqlite_master where type = 'index'`
      ).execute(db)
      expect(indexes.rows.map(({ name }) => name)).toEqual(
        expect.arrayContaining([
          'keys_by_revocation',
          'keys_by_expiry',
          'jobs_by_time',
          'sources_by_time',
          'audit_log_by_time',
          'account_codes_by_time',
          'sign_in_limits_ends_idx',
          'sign_in_sessions_by_expiry',
          'sign_in_verifications_by_expiry',
          // In SQLite it is in the file of the quota.
          ...(isPostgres ? ['quota_days_by_day'] : []),
        ]),
      )
    })
  })
}
