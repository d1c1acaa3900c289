import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { readCookie, startSite, type Site } from '../start-site.ts'

const EMAIL = 'ada@example.com'
const NAME = 'packs.session_token'
const isSignedIn = async (site: Site, cookie: string): Promise<boolean> =>
  (await site.visit('/settings', { cookie })).body.includes('Sign out')

it('does not sign anybody in with all that a copy of the database has', async () => {
  const key = Buffer.alloc(32, 7)
  // As a server does it: the secret is not in the database.
  const site = await startSite([], undefined, (catalog) => ({
    ...catalog,
    settings: { ...catalog.settings, secret: () => Promise.resolve(key) },
  }))
  const cookie = await site.join(EMAIL)
  const second = await site.signIn(EMAIL, 'correct horse')
  expect(await isSignedIn(site, cookie)).toBe(true)
  const { db } = site.catalog.database
  const { rows: tables } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table'`.execute(db)
  const values = new Set<string>()
  for (const { name } of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db)
    for (const row of rows) for (const value of Object.values(row)) values.add(String(value))
  }
  const token = decodeURIComponent(second.cookies.find(({ name }) => name === NAME)!.value).split('.')[0]!
  expect([...values].some((value) => value.includes(token))).toBe(false)
  const { rows: sessions } = await sql<{ token: string; id: string }>`
    select token, id from sign_in_sessions`.execute(db)
  expect(sessions).toHaveLength(2)
  expect([...values].some((value) => value.includes(key.toString('base64')))).toBe(false)
  const { rows: settings } = await sql<{ value: string }>`select value from settings`.execute(db)
  // Even with the secret, a digest is not a token.
  const secrets = [key.toString('hex'), ...settings.map(({ value }) => value), 'better-auth-secret']
  for (const secret of secrets)
    for (const given of sessions.flatMap(({ token: stored, id }) => [stored, id])) {
      const signature = createHmac('sha256', secret).update(given).digest('base64')
      const forged = `${NAME}=${encodeURIComponent(`${given}.${signature}`)}`
      expect(await isSignedIn(site, forged)).toBe(false)
    }
  const right = createHmac('sha256', key.toString('hex')).update(token).digest('base64')
  expect(await isSignedIn(site, `${NAME}=${encodeURIComponent(`${token}.${right}`)}`)).toBe(true)
})

it('keeps sessions, their list, their renewal and their ends', async () => {
  const site = await startSite()
  const first = await site.join(EMAIL)
  const others = [await site.signIn(EMAIL, 'correct horse'), await site.signIn(EMAIL, 'correct horse')]
  const [second, third] = others.map(readCookie)
  for (const cookie of [first, second!, third!]) expect(await isSignedIn(site, cookie)).toBe(true)
  await site.visit('/settings/sign-out', { cookie: third!, form: {} })
  expect(await isSignedIn(site, third!)).toBe(false)
  await site.visit('/settings/sessions', { cookie: first, form: {} })
  expect([await isSignedIn(site, first), await isSignedIn(site, second!)]).toEqual([true, false])
})

it('ends a session 30 days after its sign-in, however often it is renewed', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const site = await startSite()
    const cookie = await site.join(EMAIL)
    const day = 24 * 60 * 60 * 1000
    const start = Date.now()
    const seen = []
    for (const days of [5, 10, 15, 20, 25, 29.9, 30.1, 35]) {
      vi.setSystemTime(start + days * day)
      seen.push(await isSignedIn(site, cookie))
    }
    expect(seen).toEqual([true, true, true, true, true, true, false, false])
  } finally {
    vi.useRealTimers()
  }
})
