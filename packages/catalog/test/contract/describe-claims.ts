import { type Account } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { errorCode } from '../error-code.ts'
import { actor } from '../../../test-kit/test/make-version.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const later = (hours: number): Date => new Date(NOW.getTime() + hours * 60 * 60 * 1000)
const EMAIL = 'ada@example.org'

export function describeClaims(context: CatalogContext): void {
  /** Creates the account of an owner who has not come yet. */
  const claim = () => context.catalog.accounts.createClaimed({ email: EMAIL, tier: 'pro', actor }, NOW)
  const open = (code: string, hours: number, email = EMAIL): Promise<Account | undefined> =>
    context.catalog.accounts.resetAccess(email, { code, passwordHash: 'digest', now: later(hours) })

  describe('account claims', () => {
    it('accept a code once, in any common spelling', async () => {
      const { account, claimCode } = await claim()
      expect(claimCode).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}$/)
      expect(account).toMatchObject({ verified: true, disabled: false, reset_at: null, pending: null })
      const typed = ` ${claimCode.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}`
      const opened = await Promise.all(
        [typed, claimCode, typed].map((code) => open(code, 1, ' ADA@example.org')),
      )
      expect(opened.filter((found) => found !== undefined)).toEqual([
        { ...account, reset_at: later(1).toISOString() },
      ])
      expect(await open(claimCode, 1)).toBeUndefined()
    })

    it('can be checked any number of times before use', async () => {
      const { catalog } = context
      const { account, claimCode } = await claim()
      expect(await catalog.accounts.checkCode(EMAIL, claimCode, NOW)).toEqual(account)
      expect(await catalog.accounts.checkCode(EMAIL, claimCode, NOW)).toEqual(account)
      expect(await catalog.accounts.checkCode('bob@example.org', claimCode, NOW)).toBeUndefined()
      expect(await catalog.accounts.checkCode(EMAIL, claimCode, later(168))).toBeUndefined()
      expect(await open(claimCode, 1)).toMatchObject({ id: account.id })
      expect(await catalog.accounts.checkCode(EMAIL, claimCode, later(1))).toBeUndefined()
    })

    it('expire after seven days, and only then can the account be created again', async () => {
      const { catalog } = context
      const request = { email: EMAIL, tier: 'pro', daily: 7, actor } as const
      const first = await catalog.accounts.createClaimed(request, NOW)
      expect(await errorCode(catalog.accounts.createClaimed(request, later(167.9)))).toBe('email_taken')
      expect(await open(first.claimCode, 168)).toBeUndefined()
      expect(
        await errorCode(catalog.accounts.create({ email: EMAIL, tier: 'free', actor, now: later(168) })),
      ).toBe('email_taken')
      const again = await catalog.accounts.createClaimed({ email: EMAIL, tier: 'free', actor }, later(168))
      expect(again.account).toEqual({ ...first.account, tier: 'free', daily: null })
      expect(await open(first.claimCode, 169)).toBeUndefined()
      expect(await open(again.claimCode, 169)).toMatchObject({ id: first.account.id, tier: 'free' })
      expect(await errorCode(catalog.accounts.createClaimed(request, later(1000)))).toBe('email_taken')
    })

    it('never match an account without a claim', async () => {
      await context.catalog.accounts.create({ email: EMAIL, tier: 'free', actor })
      expect(await open('', 0)).toBeUndefined()
      expect(await open('x', 0, 'nobody@example.org')).toBeUndefined()
    })

    it('need a valid address and a valid daily limit', async () => {
      const { catalog } = context
      const create = (email: string, daily: number): Promise<string> =>
        errorCode(catalog.accounts.createClaimed({ email, tier: 'free', daily, actor }, NOW))
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
      const change = { tier: 'pro', daily: -1, actor } as const
      expect(await errorCode(catalog.accounts.setTier(EMAIL, change))).toBe('invalid_account')
    })
  })
}
