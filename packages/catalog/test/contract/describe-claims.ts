import { checkClaim, createClaimedAccount, redeemClaim } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { errorCode } from '../error-code.ts'
import { actor } from '../test-actor.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const later = (hours: number): Date => new Date(NOW.getTime() + hours * 60 * 60 * 1000)
const EMAIL = 'ada@example.org'

export function describeClaims(context: CatalogContext): void {
  describe('account claims', () => {
    it('accept a code once, in any common spelling', async () => {
      const { catalog } = context
      const { account, claimCode } = await createClaimedAccount(
        catalog,
        { email: EMAIL, tier: 'pro', actor },
        NOW,
      )
      expect(claimCode).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}$/)
      const typed = ` ${claimCode.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}`
      const redeemed = await Promise.all(
        [typed, claimCode, typed].map((code) => redeemClaim(catalog, ' ADA@example.org', code, later(1))),
      )
      expect(redeemed.filter((found) => found !== undefined)).toEqual([account])
      expect(await redeemClaim(catalog, EMAIL, claimCode, later(1))).toBeUndefined()
    })

    it('can be checked any number of times before redemption, and a match resets the attempts', async () => {
      const { catalog } = context
      const { account, claimCode } = await createClaimedAccount(
        catalog,
        { email: EMAIL, tier: 'pro', actor },
        NOW,
      )
      const guess = (): Promise<unknown> => checkClaim(catalog, EMAIL, 'WRONG', NOW)
      for (let count = 0; count < 9; count++) expect(await guess()).toBeUndefined()
      expect(await checkClaim(catalog, EMAIL, claimCode, NOW)).toEqual(account)
      expect(await checkClaim(catalog, EMAIL, claimCode, NOW)).toEqual(account)
      expect(await checkClaim(catalog, EMAIL, claimCode, later(168))).toBeUndefined()
      for (let count = 0; count < 10; count++) expect(await guess()).toBeUndefined()
      expect(await checkClaim(catalog, EMAIL, claimCode, NOW)).toBeUndefined()
      expect(await redeemClaim(catalog, EMAIL, claimCode, later(1))).toEqual(account)
      expect(await checkClaim(catalog, EMAIL, claimCode, later(1))).toBeUndefined()
    })

    it('expire after seven days, and only then can the account be created again', async () => {
      const { catalog } = context
      const request = { email: EMAIL, tier: 'pro', daily: 7 } as const
      const first = await createClaimedAccount(catalog, { ...request, actor }, NOW)
      expect(await errorCode(createClaimedAccount(catalog, { ...request, actor }, later(167.9)))).toBe(
        'email_taken',
      )
      expect(await redeemClaim(catalog, EMAIL, first.claimCode, later(168))).toBeUndefined()
      expect(
        await errorCode(catalog.accounts.create({ email: EMAIL, tier: 'free', now: later(168), actor })),
      ).toBe('email_taken')
      const again = await createClaimedAccount(catalog, { email: EMAIL, tier: 'free', actor }, later(168))
      expect(again.account).toEqual({ ...first.account, tier: 'free', daily: null })
      expect(await redeemClaim(catalog, EMAIL, first.claimCode, later(169))).toBeUndefined()
      expect(await redeemClaim(catalog, EMAIL, again.claimCode, later(169))).toEqual(again.account)
      expect(await errorCode(createClaimedAccount(catalog, { ...request, actor }, later(1000)))).toBe(
        'email_taken',
      )
    })

    it('allow ten attempts an hour, also concurrent ones', async () => {
      const { catalog } = context
      const { claimCode, account } = await createClaimedAccount(
        catalog,
        { email: EMAIL, tier: 'free', actor },
        NOW,
      )
      const guess = (hours: number): Promise<unknown> => redeemClaim(catalog, EMAIL, 'WRONG', later(hours))
      for (let count = 0; count < 9; count++) expect(await guess(0)).toBeUndefined()
      await Promise.all(Array.from({ length: 9 }, () => guess(0.5)))
      expect(await redeemClaim(catalog, EMAIL, claimCode, later(0.9))).toBeUndefined()
      expect(await redeemClaim(catalog, EMAIL, claimCode, later(1))).toEqual(account)
    })

    it('never match an account without a claim', async () => {
      const { catalog } = context
      await catalog.accounts.create({ email: EMAIL, tier: 'free', actor })
      expect(await redeemClaim(catalog, EMAIL, '', NOW)).toBeUndefined()
      expect(await redeemClaim(catalog, 'nobody@example.org', 'x', NOW)).toBeUndefined()
    })

    it('need a valid address and a valid daily limit', async () => {
      const { catalog } = context
      const create = (email: string, daily: number): Promise<string> =>
        errorCode(createClaimedAccount(catalog, { email, tier: 'free', daily, actor }, NOW))
      const emails = [
        '',
        'ada',
        'ada@',
        '@example.org',
        'ada@b',
        'a da@example.org',
        'ada@example.org\n,b@c.org',
      ]
      for (const email of [...emails, `${'a'.repeat(250)}@b.org`]) {
        expect(await create(email, 1)).toBe('invalid_account')
      }
      for (const daily of [-1, 1.5, Number.NaN, 1e10])
        expect(await create(EMAIL, daily)).toBe('invalid_account')
      expect(await create(EMAIL, 0)).toBe('none')
      expect(await errorCode(catalog.accounts.setTier(EMAIL, { tier: 'pro', daily: -1, actor }))).toBe(
        'invalid_account',
      )
    })
  })
}
