import { randomUUID } from 'node:crypto'
import { verifyKey } from '@packs/catalog'
import type { LightMyRequestResponse } from 'fastify'
import { describe, expect, it } from 'vitest'
import { describeDatabases } from '../../../../test-kit/test/test-database.ts'
import { actor } from '../../../../test-kit/test/make-version.ts'
import { readCookie, startSite, type Site } from '../../start-site.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const EMAIL = 'victim@example.com'
const open = (url?: string): Promise<Site> => startSite([], url)

const enterCode = (
  site: Site,
  code: string,
  password: string,
  from?: string,
): Promise<LightMyRequestResponse> =>
  site.visit('/settings/code', {
    form: { email: EMAIL, code, new_password: password },
    ...(from !== undefined && { from }),
  })

async function makeKey(site: Site, cookie: string): Promise<string> {
  const form = { name: 'laptop', token: randomUUID() }
  const { body } = await site.visit('/settings/keys', { form, cookie })
  return /kp_[0-9A-Za-z]{36}/.exec(body)![0]
}

const isSignedIn = async (site: Site, cookie: string): Promise<boolean> =>
  (await site.visit('/settings', { cookie })).body.includes('Sign out')

describeDatabases('in %s', (database) => {
  it('whoever signed up first with an email address does not get the tier of its owner', async () => {
    const site = await open(await database.createCatalog())
    const thief = await site.join(EMAIL, 'thief of horses')
    const key = await makeKey(site, thief)
    const { account, code } = await site.catalog.accounts.setTier(EMAIL, { tier: 'pro', actor }, NOW)
    expect(account.tier).toBe('free')
    expect((await verifyKey(site.catalog, key, NOW))?.account.tier).toBe('free')
    const opened = await enterCode(site, code!.text, 'correct horse')
    expect([opened.statusCode, opened.headers.location]).toEqual([303, '/settings'])
    const page = await site.visit('/settings', { cookie: readCookie(opened) })
    expect(page.body).toContain('Your new password is set')
    expect(page.body).toMatch(/>Pro</)
    expect(page.body).not.toContain('not verified')
    expect(await verifyKey(site.catalog, key, NOW)).toBeUndefined()
    expect(await isSignedIn(site, thief)).toBe(false)
    expect((await site.signIn(EMAIL, 'thief of horses')).statusCode).toBe(400)
    expect((await site.signIn(EMAIL, 'correct horse')).statusCode).toBe(303)
    expect((await enterCode(site, code!.text, 'thief of horses')).statusCode).toBe(400)
    expect(site.log).toEqual([])
  })

  it('a reset ends sessions, password and keys on all servers at once, until the code is entered', async () => {
    const url = await database.createCatalog()
    const [one, two] = [await open(url), await open(url)]
    const cookie = await one.join(EMAIL, 'correct horse')
    const key = await makeKey(one, cookie)
    const { code } = await one.catalog.accounts.reset(EMAIL, { actor, now: NOW })
    for (const site of [one, two]) {
      expect(await isSignedIn(site, cookie)).toBe(false)
      expect((await site.signIn(EMAIL, 'correct horse')).statusCode).toBe(400)
      expect(await verifyKey(site.catalog, key, NOW)).toBeUndefined()
    }
    await one.visit('/settings/sign-up', { form: { email: EMAIL, password: 'thief of horses' } })
    expect((await one.signIn(EMAIL, 'thief of horses')).statusCode).toBe(400)
    expect((await enterCode(two, code!.text, 'battery staple')).statusCode).toBe(303)
    expect((await one.signIn(EMAIL, 'battery staple')).statusCode).toBe(303)
    expect([...one.log, ...two.log]).toEqual([])
  })
})

it('a sign-in or new password that began before a reset cannot end after it', async () => {
  const site = await open()
  const cookie = await site.join(EMAIL, 'correct horse')
  const [signedIn, changed] = await Promise.all([
    site.signIn(EMAIL, 'correct horse'),
    site.visit('/settings/password', {
      form: { password: 'correct horse', new_password: 'thief of horses' },
      cookie,
    }),
    site.catalog.accounts.reset(EMAIL, { actor, now: NOW }),
  ])
  for (const late of [cookie, readCookie(signedIn), readCookie(changed)])
    expect(await isSignedIn(site, late)).toBe(false)
  for (const password of ['correct horse', 'thief of horses'])
    expect((await site.signIn(EMAIL, password)).statusCode).toBe(400)
})

it('a disabled account is refused like a wrong password, and opened by no code', async () => {
  const site = await open()
  const cookie = await site.join(EMAIL, 'correct horse')
  const key = await makeKey(site, cookie)
  const { code } = await site.catalog.accounts.setTier(EMAIL, { tier: 'pro', actor }, NOW)
  await site.catalog.accounts.setDisabled(EMAIL, true, { actor, now: NOW })
  expect(await isSignedIn(site, cookie)).toBe(false)
  expect(await verifyKey(site.catalog, key, NOW)).toBeUndefined()
  const refused = await site.signIn(EMAIL, 'correct horse')
  const wrong = await site.signIn('nobody@example.com', 'correct horse')
  expect([refused.statusCode, refused.body.replaceAll(EMAIL, 'X'), refused.cookies]).toEqual([
    wrong.statusCode,
    wrong.body.replaceAll('nobody@example.com', 'X'),
    [],
  ])
  expect((await enterCode(site, code!.text, 'battery staple')).statusCode).toBe(400)
  await site.catalog.accounts.setDisabled(EMAIL, false, { actor, now: NOW })
  expect(await isSignedIn(site, cookie)).toBe(false)
  expect((await site.signIn(EMAIL, 'correct horse')).statusCode).toBe(303)
  expect(await verifyKey(site.catalog, key, NOW)).toBeDefined()
})

describe('the page for codes', () => {
  it('opens the account after wrong codes of any number of strangers', async () => {
    const site = await open()
    const request = { email: EMAIL, tier: 'pro', actor } as const
    const { claimCode } = await site.catalog.accounts.createClaimed(request, NOW)
    for (let count = 0; count < 30; count++) {
      const wrong = await enterCode(site, 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA', 'thief of horses')
      expect(wrong.statusCode).toBe(400)
    }
    const opened = await enterCode(site, claimCode, 'correct horse')
    expect(opened.statusCode).toBe(303)
    expect(await isSignedIn(site, readCookie(opened))).toBe(true)
  })

  it('takes ten wrong codes a minute from one network, whatever their address, and any number of right ones', async () => {
    const site = await open()
    const from = '198.51.100.9'
    const statuses: number[] = []
    for (let count = 0; count < 11; count++) {
      const form = { email: `user${count}@example.com`, code: 'WRONG', new_password: 'correct horse' }
      statuses.push((await site.visit('/settings/code', { form, from })).statusCode)
    }
    expect(statuses).toEqual([...Array<number>(10).fill(400), 429])
    const refused = await enterCode(site, 'WRONG', 'correct horse', from)
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '60'])
    expect(refused.body).toContain(
      'There were too many wrong codes from your network. Try again in 60 seconds',
    )
    site.pass(60)
    await site.join(EMAIL, 'correct horse')
    for (let count = 0; count < 12; count++) {
      const { code } = await site.catalog.accounts.reset(EMAIL, { actor, now: NOW })
      expect((await enterCode(site, code!.text, 'correct horse', from)).statusCode).toBe(303)
    }
  })

  it('shows an error beside its field, and keeps what was entered except the password', async () => {
    const site = await open()
    const { body, statusCode } = await enterCode(site, 'AAAAA "b"', 'correct horse')
    expect(statusCode).toBe(400)
    expect(body).toMatch(/<span id="code-refusal"[^>]*>The code is wrong, used or expired/)
    expect(body).toMatch(/id="code"[^>]*value="AAAAA &quot;b&quot;"/)
    expect(body).toMatch(new RegExp(`id="email"[^>]*value="${EMAIL}"`))
    expect(body).not.toContain('correct horse')
    expect((await enterCode(site, 'x', 'short')).body).toContain('id="new-password-refusal"')
    expect((await enterCode(site, '', 'correct horse')).body).toContain('id="code-refusal"')
  })

  it('prefills the code of a link without using it up, and tells no other page the URL', async () => {
    const site = await open()
    await site.join(EMAIL, 'correct horse')
    const { code } = await site.catalog.accounts.reset(EMAIL, { actor, now: NOW })
    for (const method of ['GET', 'HEAD'] as const) {
      const page = await site.visit(`/settings/code?code=${code!.text}`, { method })
      expect([page.statusCode, page.headers['referrer-policy'], page.headers['cache-control']]).toEqual([
        200,
        'no-referrer',
        'no-store',
      ])
      expect(page.body.includes(`value="${code!.text}"`)).toBe(method === 'GET')
    }
    expect((await site.visit('/settings/code')).headers['referrer-policy']).toBe('same-origin')
    expect((await enterCode(site, code!.text, 'battery staple')).statusCode).toBe(303)
  })

  it('works in recovery mode, and without mail says who gives codes', async () => {
    const site = await open()
    await site.join(EMAIL, 'correct horse')
    const { code } = await site.catalog.accounts.reset(EMAIL, { actor, now: NOW })
    await site.setMode('recovery')
    expect(await isSignedIn(site, readCookie(await enterCode(site, code!.text, 'battery staple')))).toBe(true)
    expect((await site.visit('/settings')).body).toContain(
      'Forgot your password? Ask the operator for a code.',
    )
    expect((await site.visit('/settings/forgot')).body).toContain('This service does not send mail.')
    const asked = await site.visit('/settings/forgot', { form: { email: EMAIL } })
    expect([asked.statusCode, asked.headers.location]).toEqual([303, '/settings/forgot'])
  })
})
