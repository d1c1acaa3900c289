import { verifyKey, type Account } from '@packs/catalog'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { errorCode } from '../error-code.ts'
import { actor } from '../../../test-kit/test/make-version.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const later = (hours: number): Date => new Date(NOW.getTime() + hours * 60 * 60 * 1000)
const EMAIL = 'ada@example.org'

export function describeCodes(context: CatalogContext): void {
  /** Creates the account of an owner who has not come yet. */
  const claim = () => context.catalog.accounts.createClaimed({ email: EMAIL, tier: 'pro', actor }, NOW)
  const signUp = (): Promise<Account> =>
    context.catalog.accounts.create({ email: EMAIL, tier: 'free', actor })
  const open = (code: string, hours = 0): Promise<Account | undefined> =>
    context.catalog.accounts.resetAccess(EMAIL, { code, passwordHash: `digest ${code}`, now: later(hours) })
  const makeKey = async (): Promise<string> =>
    (await context.catalog.keys.create({ accountId: EMAIL, name: 'ci', actor }, NOW)).key
  const works = async (key: string): Promise<boolean> =>
    (await verifyKey(context.catalog, key, later(0))) !== undefined

  const readRows = async (table: string): Promise<unknown[]> =>
    (await sql`select * from ${sql.table(table)}`.execute(context.catalog.database.db)).rows

  /** Adds a session of the account, as a sign-in does. */
  const addSession = async (): Promise<void> => {
    const { db } = context.catalog.database
    await sql`insert into sign_in_sessions (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
      select 'session', ${later(1).toISOString()}, 'token', ${NOW.toISOString()}, ${NOW.toISOString()}, id
      from sign_in_users`.execute(db)
  }

  describe('an unverified account', () => {
    it('gets a higher tier only with its code, which ends all access that was there before', async () => {
      const { catalog } = context
      const { id } = await signUp()
      const key = await makeKey()
      const change = await catalog.accounts.setTier(EMAIL, { tier: 'pro', daily: 5, actor }, NOW)
      expect(change.account).toMatchObject({
        id,
        tier: 'free',
        daily: null,
        verified: false,
        pending: { tier: 'pro', daily: 5 },
      })
      expect(await verifyKey(catalog, key, NOW)).toMatchObject({ account: { tier: 'free' } })
      const opened = await open(change.code!.text)
      expect(opened).toMatchObject({ id, tier: 'pro', daily: 5, verified: true, pending: null })
      expect(await works(key)).toBe(false)
      expect(await readRows('sign_in_credentials')).toMatchObject([
        { password: `digest ${change.code!.text}` },
      ])
      expect(await open(change.code!.text)).toBeUndefined()
    })

    it('keeps its tier without a code, and its access if the tier is not raised', async () => {
      const { catalog } = context
      await signUp()
      const key = await makeKey()
      expect(await catalog.accounts.setTier(EMAIL, { tier: 'pro', actor }, NOW)).toMatchObject({
        account: { tier: 'free', pending: { tier: 'pro' } },
      })
      expect(await catalog.accounts.setTier(EMAIL, { tier: 'free', daily: 9, actor }, NOW)).toMatchObject({
        account: { tier: 'free', daily: 9 },
        code: undefined,
      })
      const raised = await catalog.accounts.setTier(
        EMAIL,
        { tier: 'pro', isUnverifiedAccepted: true, actor },
        NOW,
      )
      expect(raised).toMatchObject({ account: { tier: 'pro', verified: false }, code: undefined })
      expect(await catalog.accounts.setTier(EMAIL, { tier: 'pro', daily: 7, actor }, NOW)).toMatchObject({
        account: { tier: 'pro', daily: 7, pending: null },
        code: undefined,
      })
      expect(await works(key)).toBe(true)
    })

    it('gets the tier that waits for proof once its address is verified by mail', async () => {
      const { catalog } = context
      const { id } = await signUp()
      const key = await makeKey()
      await catalog.accounts.setTier(EMAIL, { tier: 'pro', actor }, NOW)
      const code = (await catalog.accounts.createMailCode(EMAIL, 'verify', NOW))!
      expect(await open(code)).toBeUndefined()
      expect(await catalog.accounts.verifyAddress(id, code, later(24))).toBeUndefined()
      expect(await catalog.accounts.verifyAddress(id, 'WRONG', NOW)).toBeUndefined()
      const other = await catalog.accounts.create({ email: 'bob@example.org', tier: 'free', actor })
      expect(await catalog.accounts.verifyAddress(other.id, code, NOW)).toBeUndefined()
      expect(await catalog.accounts.verifyAddress(id, code, later(23.9))).toMatchObject({
        tier: 'pro',
        verified: true,
      })
      expect(await catalog.accounts.verifyAddress(id, code, later(23.9))).toBeUndefined()
      expect(await catalog.accounts.createMailCode(EMAIL, 'verify', NOW)).toBeUndefined()
      expect(await works(key)).toBe(true)
    })

    it('loses its keys with the first password set by mail, a verified one does not', async () => {
      const { catalog } = context
      await signUp()
      const first = await makeKey()
      const code = (await catalog.accounts.createMailCode(EMAIL, 'reset', NOW))!
      expect(await open(code, 1)).toBeUndefined()
      expect(await open(code, 0.9)).toMatchObject({ verified: true })
      expect(await works(first)).toBe(false)
      const second = await makeKey()
      expect(await open((await catalog.accounts.createMailCode(EMAIL, 'reset', NOW))!)).toMatchObject({
        verified: true,
      })
      expect(await works(second)).toBe(true)
    })
  })

  describe('the owner of an account', () => {
    it('replaces the password unless the account was reset or disabled meanwhile', async () => {
      const { accounts } = context.catalog
      const request = { email: EMAIL, tier: 'pro', actor } as const
      const { account, claimCode } = await context.catalog.accounts.createClaimed(request, NOW)
      await open(claimCode)
      const readUser = async (): Promise<string> => {
        const [user] = (await readRows('sign_in_users')) as [{ id: string }]
        return user.id
      }
      const replace = (userId: string): Promise<boolean> =>
        accounts.replacePassword(account.id, { userId, passwordHash: 'new digest', now: NOW })
      const first = await readUser()
      await addSession()
      expect(await replace(first)).toBe(true)
      expect(await readRows('sign_in_sessions')).toEqual([])
      expect(await readRows('sign_in_credentials')).toMatchObject([{ password: 'new digest' }])
      expect(await replace(first)).toBe(false)
      const second = await readUser()
      await accounts.setDisabled(EMAIL, true, { actor, now: NOW })
      expect(await replace(second)).toBe(false)
      await accounts.setDisabled(EMAIL, false, { actor, now: NOW })
      await context.catalog.accounts.reset(EMAIL, { actor, now: NOW })
      expect(await replace(second)).toBe(false)
      expect(await readRows('sign_in_users')).toEqual([])
    })
  })

  describe('an operator', () => {
    it('resets an account: sessions, password and keys end at once, and one code opens it again', async () => {
      const { catalog } = context
      const { account, claimCode } = await claim()
      await open(claimCode)
      await addSession()
      const key = await makeKey()
      const first = await catalog.accounts.reset(account.id, { actor, now: NOW })
      expect(await works(key)).toBe(false)
      expect([await readRows('sign_in_users'), await readRows('sign_in_sessions')]).toEqual([[], []])
      const second = await catalog.accounts.reset(EMAIL, { actor, now: NOW })
      expect(await open(first.code!.text)).toBeUndefined()
      expect(await open(second.code!.text, 168)).toBeUndefined()
      expect(await open(second.code!.text, 167)).toMatchObject({
        id: account.id,
        tier: 'pro',
        verified: true,
      })
      expect(await errorCode(catalog.accounts.reset('bob@example.org', { actor, now: NOW }))).toBe(
        'unknown_account',
      )
    })

    it('resets an account that nobody has claimed yet, whose claim code then no longer works', async () => {
      const { catalog } = context
      const { claimCode } = await claim()
      const { code } = await catalog.accounts.reset(EMAIL, { actor, now: NOW })
      expect(await open(claimCode)).toBeUndefined()
      expect(await open(code!.text)).toMatchObject({ tier: 'pro' })
    })

    it('disables and enables an account, whose keys stop and work again', async () => {
      const { catalog } = context
      const { accounts } = catalog
      const { account, claimCode } = await claim()
      await open(claimCode)
      await addSession()
      const key = await makeKey()
      const { code } = await catalog.accounts.setTier(EMAIL, { tier: 'free', actor }, NOW)
      expect(code).toBeUndefined()
      const mailed = (await catalog.accounts.createMailCode(EMAIL, 'reset', NOW))!
      for (let count = 0; count < 2; count++)
        expect(await accounts.setDisabled(EMAIL, true, { actor, now: NOW })).toMatchObject({
          id: account.id,
          disabled: true,
        })
      expect(await works(key)).toBe(false)
      expect(await readRows('sign_in_sessions')).toEqual([])
      expect(await errorCode(makeKey())).toBe('account_disabled')
      expect(await open(mailed)).toBeUndefined()
      expect(await catalog.accounts.createMailCode(EMAIL, 'reset', NOW)).toBeUndefined()
      expect(await accounts.setDisabled(account.id, false, { actor, now: NOW })).toMatchObject({
        disabled: false,
      })
      expect(await works(key)).toBe(true)
      expect(await open(mailed)).toMatchObject({ disabled: false })
      expect(await errorCode(accounts.setDisabled('bob@example.org', true, { actor, now: NOW }))).toBe(
        'unknown_account',
      )
    })

    it('deletes an account with all it has, and the address gets a new account', async () => {
      const { catalog } = context
      const { account, claimCode } = await claim()
      await open(claimCode)
      await addSession()
      const key = await makeKey()
      await catalog.accounts.createMailCode(EMAIL, 'reset', NOW)
      const { id } = account
      const own = ['', ' version 1', ' version 7', ' version 9007199254740991'].map((mark) => id + mark)
      const others = [
        `${id}0`,
        `${id}0 version 7`,
        `0${id}`,
        `${id}!`,
        id.slice(0, -1),
        `${id.slice(0, -1)} version 7`,
      ]
      const days = ['2026-02-27', '2026-03-01']
      for (const name of [...own, ...others])
        for (const day of days) await catalog.quota.grant(name, day, 10, 3)
      expect(await catalog.accounts.delete(EMAIL, { actor, now: NOW })).toMatchObject({
        id: account.id,
        email: EMAIL,
      })
      expect(await works(key)).toBe(false)
      const tables = [
        'accounts',
        'keys',
        'account_codes',
        'sign_in_users',
        'sign_in_sessions',
        'sign_in_credentials',
      ]
      for (const table of tables) expect([table, await readRows(table)]).toEqual([table, []])
      for (const day of days) {
        expect(await Promise.all(own.map((name) => catalog.quota.used(name, day)))).toEqual([0, 0, 0, 0])
        expect(await Promise.all(others.map((name) => catalog.quota.used(name, day)))).toEqual(
          Array(6).fill(3),
        )
      }
      expect(await errorCode(catalog.accounts.delete(EMAIL, { actor, now: NOW }))).toBe('unknown_account')
      expect((await signUp()).id).not.toBe(account.id)
    })

    it('leaves no key to somebody who was let in before a reset', async () => {
      const { catalog } = context
      const before = await signUp()
      const { code } = await catalog.accounts.reset(EMAIL, { actor, now: NOW })
      const request = { accountId: before.id, name: 'late', resetAt: before.reset_at, actor }
      expect(await errorCode(catalog.keys.create(request, NOW))).toBe('access_ended')
      const after = (await open(code!.text))!
      expect(await errorCode(catalog.keys.create({ ...request, resetAt: after.reset_at }, NOW))).toBe('none')
    })
  })
}
