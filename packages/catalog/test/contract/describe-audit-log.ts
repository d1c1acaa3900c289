import type { NewAuditEntry } from '@packs/catalog'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { recordAudit } from '../../src/audit/create-audit-store.ts'
import type { CatalogContext } from '../catalog-context.ts'

const at = new Date('2026-03-01T12:00:00.000Z')
const entry: NewAuditEntry = { at, action: 'mode.switched', actor: { kind: 'operator', id: 'ada' } }

export function describeAuditLog(context: CatalogContext): void {
  const record = (...entries: NewAuditEntry[]): Promise<void> =>
    context.catalog.database.db.transaction().execute((transaction) => recordAudit(transaction, ...entries))
  const run = async (statement: string): Promise<void> => context.database.run(context.url, statement)

  describe('the audit log', () => {
    it('lists entries newest first, by time, account and action, and in pages', async () => {
      const { audit } = context.catalog
      const hour = (hours: number): Date => new Date(at.getTime() + hours * 3_600_000)
      await record(
        { ...entry, at: hour(0), accountId: 'ac_1', action: 'account.created' },
        { ...entry, at: hour(2), accountId: 'ac_2', action: 'account.created', details: { tier: 'pro' } },
        { ...entry, at: hour(1), accountId: 'ac_1', action: 'key.created', target: 'key_1' },
        { ...entry, at: hour(2) },
      )
      const list = async (query: Partial<Parameters<typeof audit.list>[0]>): Promise<number[]> =>
        (await audit.list({ limit: 10, ...query })).map(({ id }) => id)
      expect(await list({})).toEqual([4, 2, 3, 1])
      expect(await list({ since: hour(1) })).toEqual([4, 2, 3])
      expect(await list({ accountId: 'ac_1' })).toEqual([3, 1])
      expect(await list({ action: 'account.created' })).toEqual([2, 1])
      expect(await list({ limit: 2 })).toEqual([4, 2])
      expect(await list({ limit: 2, before: 2 })).toEqual([3, 1])
      expect(await list({ before: 99 })).toEqual([])
      expect(await audit.list({ limit: 1, before: 4 })).toEqual([
        {
          id: 2,
          at: '2026-03-01T14:00:00.000Z',
          action: 'account.created',
          actor: { kind: 'operator', id: 'ada' },
          account_id: 'ac_2',
          target: null,
          details: { tier: 'pro' },
        },
      ])
    })

    it('cuts long texts and stores hostile ones in both databases', async () => {
      await record({
        ...entry,
        actor: { kind: 'operator', id: 'x'.repeat(1_000_000) },
        target: '\u001B[2J\0\uD800',
        details: {
          reason: `\0${'y'.repeat(1_000_000)}`,
          ...Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`n${at}`, at])),
        },
      })
      const [stored] = await context.catalog.audit.list({ limit: 1 })
      expect(stored?.actor.id).toBe('x'.repeat(500))
      expect(stored?.target).toBe('\u001B[2J\uFFFD\uFFFD')
      expect(stored?.details['reason']).toBe(`\uFFFD${'y'.repeat(499)}`)
      expect(Object.keys(stored?.details ?? {})).toHaveLength(20)
    })

    it('has no entry of a change that was rolled back', async () => {
      const { db } = context.catalog.database
      const failed = db.transaction().execute(async (transaction) => {
        await recordAudit(transaction, entry)
        throw new Error('no')
      })
      await expect(failed).rejects.toThrow('no')
      expect(await context.catalog.audit.list({ limit: 9 })).toEqual([])
    })

    it('cannot be changed, and rows of the last year cannot be deleted', async () => {
      const old = new Date(Date.now() - 366 * 24 * 3_600_000)
      const young = new Date(Date.now() - 364 * 24 * 3_600_000)
      await record({ ...entry, at: old }, { ...entry, at: young })
      await expect(run(`update audit_log set actor_id = 'bob'`)).rejects.toThrow(/cannot be changed/)
      await expect(run('delete from audit_log')).rejects.toThrow(/kept for a year/)
      await run(`delete from audit_log where at = '${old.toISOString()}'`)
      // SQLite has no such statement.
      await expect(run('truncate audit_log')).rejects.toThrow(/cannot be changed|syntax error/)
      const { rows } = await sql<{ at: string }>`select at from audit_log`.execute(
        context.catalog.database.db,
      )
      expect(rows.map((row) => row.at)).toEqual([young.toISOString()])
    })
  })
}
