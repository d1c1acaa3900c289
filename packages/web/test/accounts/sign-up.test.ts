import { join } from 'node:path'
import { openCatalog, type AccountStore, type Catalog } from '@packs/catalog'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { describeDatabases } from '../../../test-kit/test/test-database.ts'
import { startSite, type Site } from '../start-site.ts'
import { actor } from '../../../test-kit/test/make-version.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const EMAIL = 'ann@example.com'
const createUrl = (): string => join(makeFolder(), 'catalog.sqlite')

/** Returns a wrapper whose catalog fails before or after a step, as if the process had ended there. */
function failAt(step: 'create' | 'resetAccess', when: 'before' | 'after') {
  return (catalog: Catalog): Catalog => {
    const end = async (...parameters: unknown[]): Promise<never> => {
      const method = catalog.accounts[step] as (...parameters: unknown[]) => Promise<unknown>
      if (when === 'after') await method(...parameters)
      throw new Error(`ended ${when} ${step}`)
    }
    return { ...catalog, accounts: { ...catalog.accounts, [step]: end } satisfies AccountStore }
  }
}

/** Signs up on a site that fails at a step. */
async function interruptSignUp(
  url: string,
  end: ReturnType<typeof failAt>,
  { password, claim }: { password: string; claim?: string },
): Promise<void> {
  const site = await startSite([], url, end)
  const { statusCode } =
    claim === undefined
      ? await site.visit('/settings/sign-up', { form: { email: EMAIL, password } })
      : await site.visit('/settings/code', { form: { email: EMAIL, code: claim, new_password: password } })
  expect(statusCode).toBe(500)
  await site.close()
}

describeDatabases('an interrupted sign-up, in %s', (database) => {
  it('is completed at sign-in if its account was created', async () => {
    await expectFinished(await database.createCatalog(), failAt('create', 'after'))
  })

  it('with a claim code is complete once the code is used up', async () => {
    const url = await database.createCatalog()
    const claim = await createClaim(url)
    await interruptSignUp(url, failAt('resetAccess', 'after'), { password: 'correct horse', claim })
    const site = await startSite([], url)
    await site.join(EMAIL, 'thief of horses', claim)
    expect((await site.signIn(EMAIL, 'thief of horses')).statusCode).toBe(400)
    await expectOwner(site, 'correct horse', '')
  })

  it('leaves no user without a password', async () => {
    const url = await database.createCatalog()
    const site = await startSite([], url)
    const { db } = site.catalog.database
    await site.join('other@example.com')
    const signUp = async (): Promise<number> =>
      (await site.visit('/settings/sign-up', { form: { email: EMAIL, password: 'correct horse' } }))
        .statusCode
    await sql`alter table sign_in_credentials rename to away`.execute(db)
    expect(await signUp()).toBe(503)
    await sql`alter table away rename to sign_in_credentials`.execute(db)
    expect(await site.catalog.accounts.find(EMAIL)).toBeUndefined()
    expect(await signUp()).toBe(303)
    expect((await site.signIn(EMAIL, 'correct horse')).statusCode).toBe(303)
  })
})

describe('an interrupted sign-up', () => {
  it('is completed at sign-in if its account was not created', async () => {
    await expectFinished(createUrl(), failAt('create', 'before'))
  })

  it('keeps the claim code if it was not used up', async () => {
    const url = createUrl()
    const claim = await createClaim(url)
    await interruptSignUp(url, failAt('resetAccess', 'before'), { password: 'correct horse', claim })
    await expectOwner(await startSite([], url), 'correct horse', claim)
  })

  it('is replaced by a sign-up with the claim code if an operator then created the account', async () => {
    const url = createUrl()
    await interruptSignUp(url, failAt('create', 'before'), { password: 'older password' })
    const claim = await createClaim(url)
    const site = await startSite([], url)
    const cookie = await site.join(EMAIL, 'older password')
    expect((await site.visit('/settings', { cookie })).body).not.toContain('Sign out')
    await site.join(EMAIL, 'correct horse', claim)
    expect((await site.visit('/settings', { cookie })).body).not.toContain('Sign out')
    expect((await site.signIn(EMAIL, 'older password')).statusCode).toBe(400)
    await expectOwner(site, 'correct horse', '')
  })
})

async function expectFinished(url: string, end: ReturnType<typeof failAt>): Promise<void> {
  await interruptSignUp(url, end, { password: 'correct horse' })
  const site = await startSite([], url)
  await site.visit('/settings/sign-up', { form: { email: EMAIL, password: 'thief of horses' } })
  expect((await site.signIn(EMAIL, 'thief of horses')).statusCode).toBe(400)
  const cookie = await site.join(EMAIL, 'correct horse')
  const pages = await Promise.all([1, 2, 3].map(() => site.visit('/settings', { cookie })))
  for (const { body } of pages) expect(body).toContain(EMAIL)
  expect(await site.catalog.accounts.list()).toMatchObject([{ email: EMAIL, tier: 'free' }])
  expect(site.log).toEqual([])
}

async function createClaim(url: string): Promise<string> {
  const catalog = await openCatalog({ url })
  const { claimCode } = await catalog.accounts.createClaimed(
    { email: EMAIL, tier: 'pro', daily: 7, actor },
    NOW,
  )
  await catalog.close()
  return claimCode
}

/** Expects that password and claim code open the operator's account. */
async function expectOwner(site: Site, password: string, claim: string): Promise<void> {
  const cookie = await site.join(EMAIL, password, claim)
  expect((await site.visit('/settings', { cookie })).body).toMatch(/<b>7<\/b> of 7/)
  expect(await site.catalog.accounts.list()).toMatchObject([{ email: EMAIL, tier: 'pro' }])
}
