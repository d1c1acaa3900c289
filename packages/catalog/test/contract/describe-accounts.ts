import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { errorCode } from '../error-code.ts'
import { actor } from '../../../test-kit/test/make-version.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

export function describeAccounts(context: CatalogContext): void {
  describe('AccountStore', () => {
    it('has one account per address, ignoring case', async () => {
      const { accounts } = context.catalog
      const ada = await accounts.create({ email: ' Ada@Example.org', tier: 'free', actor })
      expect(ada).toMatchObject({ email: 'ada@example.org', tier: 'free', daily: null })
      expect(ada.id).toMatch(/^ac_[0-9a-f]{32}$/)
      const both = await Promise.all([
        errorCode(accounts.create({ email: 'bob@example.org', tier: 'pro', daily: 7, actor })),
        errorCode(accounts.create({ email: 'BOB@example.org', tier: 'free', actor })),
      ])
      expect(both.toSorted()).toEqual(['email_taken', 'none'])
      expect(await accounts.find('ADA@example.org')).toEqual(ada)
      expect(await accounts.find(ada.id)).toEqual(ada)
      expect(await accounts.find('nobody\0@example.org')).toBeUndefined()
      expect((await accounts.list()).map(({ email }) => email).toSorted()).toEqual([
        'ada@example.org',
        'bob@example.org',
      ])
    })

    it('uses a given id, once', async () => {
      const { accounts } = context.catalog
      const id = `ac_${'0a'.repeat(16)}`
      const tries = Array.from({ length: 4 }, () =>
        errorCode(accounts.create({ id, email: 'ada@example.org', tier: 'free', actor })),
      )
      expect((await Promise.all(tries)).toSorted()).toEqual([
        'email_taken',
        'email_taken',
        'email_taken',
        'none',
      ])
      expect(await accounts.find('ada@example.org')).toMatchObject({ id })
    })

    it('changes tier and daily limit', async () => {
      const { catalog } = context
      const { accounts } = catalog
      const request = { email: 'ada@example.org', tier: 'free', actor } as const
      const { id } = (await catalog.accounts.createClaimed(request, NOW)).account
      const { account: raised } = await accounts.setTier('ada@example.org', { tier: 'pro', daily: 5, actor })
      expect(raised).toMatchObject({ id, tier: 'pro', daily: 5, pending: null })
      expect(await accounts.setTier(id, { tier: 'free', actor })).toMatchObject({
        account: { tier: 'free', daily: 5 },
      })
      expect(await accounts.setTier(id, { tier: 'free', daily: null, actor })).toMatchObject({
        account: { daily: null },
      })
      expect(await errorCode(accounts.setTier('bob@example.org', { tier: 'pro', actor }))).toBe(
        'unknown_account',
      )
    })
  })

  describe('KeyStore', () => {
    it('finds a key by digest, with its account, and by id', async () => {
      const { accounts, keys } = context.catalog
      const account = await accounts.create({ email: 'ada@example.org', tier: 'pro', actor })
      const { row: key } = await keys.create({ accountId: account.id, name: 'ci', actor }, NOW)
      expect(key).toMatchObject({ account_id: account.id, name: 'ci', revoked_at: null })
      expect(await keys.findBySha256(key.sha256)).toEqual({ ...key, account })
      expect(await keys.find(key.id)).toEqual(key)
      expect(await keys.findBySha256('ac'.repeat(32))).toBeUndefined()
      expect(await keys.find('none\0')).toBeUndefined()
      expect(await keys.list(account.id)).toEqual([key])
      const orphan = { accountId: 'ac_none', name: 'x', actor }
      expect(await errorCode(keys.create(orphan, NOW))).toBe('unknown_account')
    })
  })
}
