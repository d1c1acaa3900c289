import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { errorCode } from '../error-code.ts'
import { makeVersion, actor } from '../../../test-kit/test/make-version.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

export function describeRecordedChanges(context: CatalogContext): void {
  /** Returns everything that was recorded, oldest first. */
  const readLog = async (): Promise<readonly unknown[]> => {
    const entries = await context.catalog.audit.list({ limit: 1000 })
    return entries
      .toSorted((a, b) => a.id - b.id)
      .map(({ action, actor: { id }, account_id, target, details }) => [
        action,
        id,
        account_id,
        target,
        details,
      ])
  }

  describe('the audit log of changes', () => {
    it('has one entry for each version that is committed, and none for a repeated or a failed commit', async () => {
      const { packs } = context.catalog
      const first = makeVersion({ slug: 'tls' })
      const job = { ...first.provenance, job: 'tls-1' }
      await packs.commit([{ ...first, provenance: job, actor: { kind: 'system', id: 'queue' } }])
      await packs.commit([first])
      await packs.commit([
        makeVersion({ slug: 'tls', version: '1.1.0', parent: '1.0.0' }),
        makeVersion({ slug: 'ssh' }),
      ])
      const conflict = makeVersion({ slug: 'ssh', parent: '1.0.0', source: 'other' })
      expect(await errorCode(packs.commit([makeVersion({ slug: 'dns' }), conflict]))).toBe('version_conflict')
      expect(await readLog()).toEqual([
        ['version.published', 'queue', null, 'tls@1.0.0', { job: 'tls-1' }],
        ['version.published', 'ada', null, 'tls@1.1.0', {}],
        ['version.published', 'ada', null, 'ssh@1.0.0', {}],
      ])
    })

    it('has yanks that changed something, with the reason before', async () => {
      const { packs, audit } = context.catalog
      const { id } = (await packs.commit([makeVersion({ slug: 'tls' })]))[0]!
      await packs.yank('tls', '1.0.0', 'wrong', actor)
      await packs.yank('tls', '1.0.0', 'wrong', actor)
      await packs.yank('tls', '1.0.0', 'worse', actor)
      await packs.undoYank('tls', '1.0.0', actor)
      await packs.undoYank('tls', '1.0.0', actor)
      expect(await errorCode(packs.yank('ssh', '1.0.0', 'x', actor))).toBe('unknown_pack')
      expect(id).toMatch(/^pk_/)
      expect((await readLog()).slice(1)).toEqual([
        ['version.yanked', 'ada', null, 'tls@1.0.0', { reason: 'wrong', reason_before: null }],
        ['version.yanked', 'ada', null, 'tls@1.0.0', { reason: 'worse', reason_before: 'wrong' }],
        ['version.restored', 'ada', null, 'tls@1.0.0', { reason: null, reason_before: 'worse' }],
      ])
      expect(await audit.list({ limit: 9, action: 'version.restored' })).toHaveLength(1)
    })

    it('has accounts and their tiers by id, never an address or a claim code', async () => {
      const { catalog } = context
      const request = { email: 'ada@example.org', tier: 'free', actor } as const
      const { account, claimCode } = await catalog.accounts.createClaimed(request, NOW)
      expect(await errorCode(catalog.accounts.createClaimed(request, NOW))).toBe('email_taken')
      await catalog.accounts.setTier(account.id, { tier: 'pro', actor })
      await catalog.accounts.setTier(account.id, { tier: 'pro', actor })
      await catalog.accounts.setTier(account.email, { tier: 'pro', daily: 5, actor })
      for (const code of ['wrong', claimCode])
        await catalog.accounts.resetAccess(account.email, { code, passwordHash: 'digest', now: NOW })
      const { id } = account
      const tiers = { tier: 'pro', daily_before: null }
      expect(await readLog()).toEqual([
        ['account.created', 'ada', id, null, { tier: 'free', daily: null }],
        ['account.tier_changed', 'ada', id, null, { ...tiers, tier_before: 'free', daily: null }],
        ['account.tier_changed', 'ada', id, null, { ...tiers, tier_before: 'pro', daily: 5 }],
        ['account.claimed', id, id, null, {}],
      ])
    })

    it('has resets, proofs, new passwords and the end of accounts, never a code or a password', async () => {
      const { catalog } = context
      const email = 'ada@example.org'
      const { id } = await catalog.accounts.create({ email, tier: 'free', actor })
      const { row } = await catalog.keys.create({ accountId: id, name: 'ci', actor }, NOW)
      const { code } = await catalog.accounts.setTier(email, { tier: 'pro', actor }, NOW)
      const mailed = await catalog.accounts.createMailCode(email, 'verify', NOW)
      await catalog.accounts.verifyAddress(id, mailed!, NOW)
      await catalog.accounts.resetAccess(email, { code: code!.text, passwordHash: 'digest', now: NOW })
      const reset = await catalog.accounts.reset(email, { actor, now: NOW })
      const again = await catalog.accounts.createMailCode(email, 'reset', NOW)
      await catalog.accounts.resetAccess(email, { code: again!, passwordHash: 'digest', now: NOW })
      for (const isDisabled of [true, true, false])
        await catalog.accounts.setDisabled(id, isDisabled, { actor, now: NOW })
      await catalog.accounts.delete(id, { actor, now: NOW })
      const tiers = { tier_before: 'free', tier: 'pro', daily_before: null, daily: null }
      const log = (await readLog()).slice(2)
      expect(log).toEqual([
        ['account.tier_offered', 'ada', id, null, { tier: 'pro', daily: null }],
        ['account.verified', id, id, null, {}],
        ['account.tier_changed', id, id, null, tiers],
        ['key.revoked', id, id, row.id, { name: 'ci', last4: row.last4 }],
        ['account.opened', id, id, null, { code_from: 'operator' }],
        ['account.reset', 'ada', id, null, {}],
        ['account.opened', id, id, null, { code_from: 'mail' }],
        ['account.disabled', 'ada', id, null, {}],
        ['account.enabled', 'ada', id, null, {}],
        ['account.deleted', 'ada', id, null, {}],
      ])
      const text = JSON.stringify(log)
      for (const secret of [code!.text, reset.code!.text, mailed!, again!, email, 'digest'])
        expect(text).not.toContain(secret)
    })

    it('tells an account that replaces an expired claim from a new one', async () => {
      const { catalog } = context
      const request = { email: 'ada@example.org', tier: 'free', actor } as const
      const { account } = await catalog.accounts.createClaimed(request, NOW)
      const later = new Date(NOW.getTime() + 8 * 24 * 3_600_000)
      await catalog.accounts.createClaimed({ ...request, tier: 'pro' }, later)
      const renewed = { tier: 'pro', daily: null }
      expect(await readLog()).toEqual([
        ['account.created', 'ada', account.id, null, { tier: 'free', daily: null }],
        ['account.created', 'ada', account.id, null, { ...renewed, replaces_expired_claim: true }],
      ])
    })

    it('has keys by id and last characters, never their text or digest', async () => {
      const { catalog } = context
      const { id } = await catalog.accounts.create({ email: 'ada@example.org', tier: 'free', actor })
      const owner = { kind: 'account', id } as const
      const old = await catalog.keys.create({ accountId: id, name: 'ci', actor: owner }, NOW)
      const next = await catalog.keys.rotate(old.row.id, owner, NOW)
      await catalog.keys.revoke(next.row.id, actor, NOW)
      await catalog.keys.revoke(next.row.id, actor, NOW)
      expect(await errorCode(catalog.keys.rotate(next.row.id, actor, NOW))).toBe('key_ended')
      expect(await errorCode(catalog.keys.revoke('key_none', actor, NOW))).toBe('unknown_key')
      const log = await readLog()
      const last4 = next.row.last4
      expect(log.slice(1)).toEqual([
        ['key.created', id, id, old.row.id, { name: 'ci', last4: old.row.last4 }],
        [
          'key.rotated',
          id,
          id,
          old.row.id,
          { name: 'ci', last4: old.row.last4, replaced_by: next.row.id, replaced_by_last4: last4 },
        ],
        ['key.revoked', 'ada', id, next.row.id, { name: 'ci', last4 }],
      ])
      const text = JSON.stringify(log)
      for (const secret of [old.key, next.key, old.row.sha256, next.row.sha256])
        expect(text).not.toContain(secret)
    })

    it('has switches of the mode, and of its message, that changed something', async () => {
      const { settings } = context.catalog
      const recovery = { message: 'Back at ten', retry_after: 60 }
      const none = { message: null, retry_after: null }
      await settings.setMode('online', { actor })
      await settings.setMode('recovery', { message: 'Back at ten', retryAfter: 60, actor })
      await settings.setMode('recovery', { message: 'Back at ten', retryAfter: 60, actor })
      await settings.setMode('online', { actor })
      expect(await readLog()).toEqual([
        ['mode.switched', 'ada', null, null, { mode_before: 'online', mode: 'recovery', ...recovery }],
        ['mode.switched', 'ada', null, null, { mode_before: 'recovery', mode: 'online', ...none }],
      ])
    })

    it('refuses the change if the entry cannot be written', async () => {
      const { catalog, url, database } = context
      const { id } = await catalog.accounts.create({ email: 'ada@example.org', tier: 'free', actor })
      await database.run(url, 'drop table audit_log')
      const changes = [
        catalog.accounts.create({ email: 'bob@example.org', tier: 'free', actor }),
        catalog.accounts.setTier(id, { tier: 'pro', isUnverifiedAccepted: true, actor }),
        catalog.keys.create({ accountId: id, name: 'ci', actor }, NOW),
        catalog.settings.setMode('recovery', { actor }),
        catalog.packs.commit([makeVersion({ slug: 'tls' })]),
      ]
      const codes = await Promise.all(changes.map((change) => errorCode(change)))
      expect(codes).toEqual(changes.map(() => 'catalog_unavailable'))
      expect(await catalog.accounts.list()).toMatchObject([{ id, tier: 'free' }])
      expect(await catalog.keys.list(id)).toEqual([])
      expect((await catalog.settings.mode()).mode).toBe('online')
      expect(await catalog.sequence()).toBe(0)
    })
  })
}
