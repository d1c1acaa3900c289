import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { actor } from '../../../test-kit/test/make-version.ts'
import type { MailSettings } from '../../src/index.ts'
import { createAccountMails } from '../../src/mail/create-account-mails.ts'
import { createLimits } from '../../src/security/create-limits.ts'
import { readCookie, startSite, type Site } from '../start-site.ts'
import {
  mailSettings,
  readLink,
  startMailServer,
  startSilentServer,
  type MailServer,
} from './start-mail-server.ts'
import { testCertificate } from './test-certificate.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const EMAIL = 'ann@example.com'
const PASSWORD = 'correct horse'
const PATIENT = { timeout: 60_000, interval: 20 }

const open = (settings: MailSettings): Promise<Site> =>
  startSite([], undefined, undefined, undefined, settings)

/** Starts a mail server, and a site that sends by it. */
async function start(): Promise<{ readonly server: MailServer; readonly site: Site }> {
  const server = await startMailServer()
  return { server, site: await open(server.settings) }
}

const post = (site: Site, path: string, form: Record<string, string>, cookie = '', from?: string) =>
  site.visit(path, { form, ...(cookie !== '' && { cookie }), ...(from !== undefined && { from }) })
const forgot = (site: Site, email: string, from?: string): Promise<LightMyRequestResponse> =>
  post(site, '/settings/forgot', { email }, '', from)
const waitForMails = (server: MailServer, count: number): Promise<void> =>
  vi.waitFor(() => expect(server.mails).toHaveLength(count), PATIENT)
const waitForLog = (site: Site, count: number): Promise<void> =>
  vi.waitFor(() => expect(site.log).toHaveLength(count), PATIENT)

describe('the mail after a sign-up', () => {
  it('proves the address, but only for whoever can sign in', async () => {
    const { server, site } = await start()
    const cookie = await site.join(EMAIL)
    await waitForMails(server, 1)
    const [received] = server.mails
    expect(received).toMatchObject({ to: [EMAIL], from: 'packs@example.org', isEncrypted: false })
    expect(received!.mail).toMatchObject({
      subject: 'Confirm your email for Packs',
      from: { name: 'Packs', address: 'packs@example.org' },
      to: [{ address: EMAIL }],
    })
    expect(received!.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    const { pathname, search, searchParams } = readLink(received!)
    expect(pathname).toBe('/settings/verify')
    const code = searchParams.get('code')!

    const stranger = await site.visit(`${pathname}${search}`)
    expect([stranger.statusCode, stranger.headers['referrer-policy']]).toEqual([200, 'no-referrer'])
    expect(stranger.body).toContain(`name="return" value="/settings/verify?code=${code}"`)
    expect((await post(site, '/settings/verify', { code })).headers.location).toBe('/settings')
    const other = await site.join('bob@example.com')
    expect((await post(site, '/settings/verify', { code }, other)).statusCode).toBe(400)
    expect(
      (await post(site, '/settings/code', { email: EMAIL, code, new_password: 'thief of horses' }))
        .statusCode,
    ).toBe(400)
    expect(await site.catalog.accounts.find(EMAIL)).toMatchObject({ verified: false })

    const form = { email: EMAIL, password: PASSWORD, return: `${pathname}${search}` }
    expect((await post(site, '/settings/sign-in', form)).headers.location).toBe(`${pathname}${search}`)
    expect((await site.visit('/settings', { cookie })).body).toContain('Verify your email')
    for (let turn = 0; turn < 2; turn++) {
      const page = await site.visit(`${pathname}${search}`, { cookie })
      expect(page.body).toContain(`You are signed in as ${EMAIL}`)
      expect(page.headers['referrer-policy']).toBe('no-referrer')
    }
    expect(await site.catalog.accounts.find(EMAIL)).toMatchObject({ verified: false })
    const done = await post(site, '/settings/verify', { code: code.toLowerCase() }, cookie)
    expect([done.statusCode, done.headers.location]).toEqual([303, '/settings'])
    const settings = await site.visit('/settings', { cookie: `${cookie}; ${readCookie(done)}` })
    expect(settings.body).toContain('Your email is verified.')
    expect(settings.body).not.toContain('not verified')
    expect(await site.catalog.accounts.find(EMAIL)).toMatchObject({ verified: true, tier: 'free' })
    expect((await post(site, '/settings/verify', { code }, cookie)).statusCode).toBe(400)
    expect(site.log).toEqual([])
  })

  it('can be asked for again, works for a day, and brings the tier that waits for it', async () => {
    const { server, site } = await start()
    const cookie = await site.join(EMAIL)
    await waitForMails(server, 1)
    const first = readLink(server.mails[0]!).searchParams.get('code')!
    site.pass(24 * 60 * 60)
    expect((await post(site, '/settings/verify', { code: first }, cookie)).statusCode).toBe(400)
    const change = { tier: 'pro', code: { hash: 'x', expiresAt: '2027' }, actor } as const
    await site.catalog.accounts.setTier(EMAIL, change)
    expect((await post(site, '/settings/verify/send', {}, cookie)).headers.location).toBe('/settings')
    await waitForMails(server, 2)
    const second = readLink(server.mails[1]!).searchParams.get('code')!
    expect((await post(site, '/settings/verify', { code: second }, cookie)).statusCode).toBe(303)
    expect((await site.visit('/settings', { cookie })).body).toMatch(/>Pro</)
    await post(site, '/settings/verify/send', {}, cookie)
    await site.close()
    expect(server.mails).toHaveLength(2)
  })
})

describe('a forgotten password', () => {
  it('is replaced once through the link, within an hour', async () => {
    const { server, site } = await start()
    const cookie = await site.join(EMAIL)
    expect((await site.visit('/settings')).body).toContain('<a href="/settings/forgot">Forgot password?</a>')
    const asked = await forgot(site, EMAIL)
    expect([asked.statusCode, asked.headers.location]).toEqual([303, '/settings/code'])
    expect((await site.visit('/settings/code', { cookie: readCookie(asked) })).body).toContain(
      'If this email has an account, a mail with a code is on its way.',
    )
    await waitForMails(server, 2)
    const reset = server.mails.find(({ mail }) => mail.subject === 'Set a new password for Packs')!
    const { pathname, search, searchParams } = readLink(reset)
    const page = await site.visit(`${pathname}${search}`)
    expect([pathname, page.headers['referrer-policy']]).toEqual(['/settings/code', 'no-referrer'])
    const form = { email: EMAIL, code: searchParams.get('code')!, new_password: 'battery staple' }
    expect((await post(site, '/settings/code', { ...form, email: 'bob@example.com' })).statusCode).toBe(400)
    const done = await post(site, '/settings/code', form)
    expect(done.headers.location).toBe('/settings')
    expect((await site.visit('/settings', { cookie })).body).not.toContain('Sign out')
    expect((await site.visit('/settings', { cookie: readCookie(done) })).body).toContain('Sign out')
    expect((await site.signIn(EMAIL, PASSWORD)).statusCode).toBe(400)
    expect((await site.signIn(EMAIL, 'battery staple')).statusCode).toBe(303)
    expect((await post(site, '/settings/code', form)).statusCode).toBe(400)
    expect(await site.catalog.accounts.find(EMAIL)).toMatchObject({ verified: true })

    await forgot(site, EMAIL)
    await waitForMails(server, 3)
    const late = readLink(server.mails[2]!).searchParams.get('code')!
    site.pass(60 * 60)
    expect((await post(site, '/settings/code', { ...form, code: late })).statusCode).toBe(400)
  })

  it('is answered the same for an unknown, a disabled and a known address, and mailed to the known one only', async () => {
    const { server, site } = await start()
    await site.join('off@example.com')
    await site.catalog.accounts.setDisabled('off@example.com', true, { actor, now: NOW })
    await site.join(EMAIL)
    await waitForMails(server, 2)
    const answers = []
    for (const email of ['nobody@example.com', 'off@example.com', EMAIL])
      answers.push(await forgot(site, email))
    const [first, ...others] = answers.map(
      ({ statusCode, headers: { date: _date, ...headers }, body, cookies }) => ({
        statusCode,
        headers,
        body,
        cookies,
      }),
    )
    for (const other of others) expect(other).toEqual(first)
    await waitForMails(server, 3)
    await site.close()
    expect(server.mails.map(({ to }) => to[0] === EMAIL)).toEqual(expect.arrayContaining([true, true, false]))
  })

  it('is mailed three times an hour to one address, and ten times for one network', async () => {
    const { server, site } = await start()
    await site.catalog.accounts.create({ email: EMAIL, tier: 'free', actor })
    for (let turn = 0; turn < 5; turn++) expect((await forgot(site, EMAIL)).statusCode).toBe(303)
    await waitForMails(server, 3)
    const from = '198.51.100.4'
    const statuses: number[] = []
    for (let turn = 0; turn < 11; turn++) {
      await site.catalog.accounts.create({ email: `user${turn}@example.com`, tier: 'free', actor })
      statuses.push((await forgot(site, `user${turn}@example.com`, from)).statusCode)
    }
    expect(statuses).toEqual([...Array<number>(10).fill(303), 429])
    expect((await forgot(site, EMAIL, from)).headers['retry-after']).toBe('3600')
    await waitForMails(server, 13)
    site.pass(3600)
    await forgot(site, EMAIL, from)
    await waitForMails(server, 14)
    expect(site.log).toHaveLength(2)
    for (const line of site.log) {
      expect(line).toMatch(/"kind":"reset","code":"address_limit".*"message":"a mail was not sent"/)
      expect(line).not.toContain('@')
    }
  })

  it('is mailed although strangers sign up with the address, and so is its confirmation', async () => {
    const { server, site } = await start()
    const cookie = await site.join(EMAIL)
    const subjects = (): string[] => server.mails.map(({ mail }) => String(mail.subject).split(' ')[0]!)
    for (let turn = 0; turn < 3; turn++)
      await post(site, '/settings/sign-up', { email: EMAIL, password: 'the password of a stranger' })
    await forgot(site, EMAIL)
    await post(site, '/settings/verify/send', {}, cookie)
    await waitForMails(server, 5)
    expect(subjects().toSorted()).toEqual(['Confirm', 'Confirm', 'Confirm', 'Confirm', 'Set'])
    expect(site.log).toEqual([expect.stringContaining('"kind":"sign-up","code":"address_limit"')])
    await forgot(site, EMAIL)
    await forgot(site, EMAIL)
    await waitForMails(server, 7)
  })

  it('does not count while no mail can be made', async () => {
    const { server, site } = await start()
    for (let turn = 0; turn < 3; turn++) await forgot(site, EMAIL)
    await site.catalog.accounts.create({ email: EMAIL, tier: 'free', actor })
    for (let turn = 0; turn < 3; turn++) await forgot(site, EMAIL)
    await waitForMails(server, 3)
    expect(site.log).toEqual([])
  })

  it.each([
    'ann@example.com\r\nBcc: eve@example.com',
    'ann@example.com, eve@example.com',
    '"Ann" <ann@example.com>',
    'ann@example.com\0',
  ])('rejects the address %j', async (email) => {
    const { server, site } = await start()
    expect((await forgot(site, email)).statusCode).toBe(400)
    await post(site, '/settings/sign-up', { email, password: PASSWORD })
    await site.close()
    expect(server.mails).toEqual([])
  })
})

describe('a mail server', () => {
  beforeAll(() => setDefaultCACertificates([...getCACertificates('default'), testCertificate.cert]))
  afterAll(() => setDefaultCACertificates(getCACertificates('bundled')))
  const login = { user: 'packs', pass: 's3cret-of-smtp' }

  it.each(['starttls', 'tls'] as const)('gets the mail and the login encrypted, by %s', async (security) => {
    const server = await startMailServer({
      ...testCertificate,
      secure: security === 'tls',
      authOptional: false,
      disabledCommands: [],
      onAuth: ({ username, password }, _session, done) =>
        done(password === login.pass ? null : new Error('no'), { user: username }),
    })
    const site = await open(mailSettings(server.port, { security, login }))
    await site.join(EMAIL)
    await waitForMails(server, 1)
    expect(server.mails).toMatchObject([{ isEncrypted: true, user: 'packs', to: [EMAIL] }])
    expect(site.log).toEqual([])
  })

  it('gets nothing if it does not offer TLS, has a certificate of somebody else or refuses the login', async () => {
    const plain = await startMailServer()
    const strange = await startMailServer({ disabledCommands: [] })
    const strict = await startMailServer({
      ...testCertificate,
      disabledCommands: [],
      onAuth: (_auth, _session, done) => done(new Error('535 ann@example.com may not use s3cret-of-smtp')),
    })
    for (const { port, mails } of [plain, strange, strict]) {
      const site = await open(mailSettings(port, { security: 'starttls', login }))
      expect((await post(site, '/settings/sign-up', { email: EMAIL, password: PASSWORD })).statusCode).toBe(
        303,
      )
      await waitForLog(site, 1)
      expect(site.log[0]).toMatch(/"message":"a mail was not sent"/)
      expect(site.log[0]).not.toMatch(/ann@|s3cret|packs@/)
      expect(mails).toEqual([])
    }
  })

  it('that is away or refuses the address fails no sign-up, and the log names neither address nor text', async () => {
    const gone = { settings: mailSettings(1) }
    const refusing = await startMailServer({
      onRcptTo: ({ address }, _session, done) => done(new Error(`no such user ${address}`)),
    })
    for (const { settings } of [gone, refusing]) {
      const site = await open(settings)
      const cookie = await site.join(EMAIL)
      expect((await site.visit('/settings', { cookie })).body).toContain('Sign out')
      await waitForLog(site, 1)
      expect(site.log[0]).toMatch(/"kind":"sign-up".*"code":"E[A-Z]+"/)
      expect(site.log[0]).not.toContain('@')
    }
  })

  it('that never answers holds up no page, and is given up when the server ends', async () => {
    const server = await startSilentServer()
    const site = await open(server.settings)
    await site.catalog.accounts.create({ email: EMAIL, tier: 'free', actor })
    expect((await forgot(site, EMAIL)).statusCode).toBe(303)
    await vi.waitFor(() => expect(server.connections()).toBe(1), PATIENT)
    await site.close()
    expect(site.log).toHaveLength(1)
    expect(site.log[0]).not.toContain('@')
  })

  it('that never answers gets two mails at a time, a hundred wait for it, and no more', async () => {
    const server = await startSilentServer()
    const { catalog } = await open(server.settings)
    const log: string[] = []
    const error = (fields: unknown): unknown => log.push(JSON.stringify(fields))
    const limits = createLimits(catalog.database)
    const ports = { catalog, now: () => NOW, log: { error } }
    const mails = createAccountMails(ports, server.settings, { limits, baseUrl: 'https://packs.example' })
    const emails = Array.from({ length: 110 }, (_, at) => `user${at}@example.com`)
    for (const email of emails.slice(0, 2)) await catalog.accounts.create({ email, tier: 'free', actor })
    for (const email of emails) mails.send(email, 'reset')
    expect(log.filter((line) => line.includes('"code":"queue_full"'))).toHaveLength(8)
    await vi.waitFor(() => expect(server.connections()).toBe(2), PATIENT)
    await mails.close()
    const others = log.filter((line) => !line.includes('queue_full'))
    expect(others).toHaveLength(3)
    expect(others).toContainEqual('{"code":"closed","mails":100}')
    for (const line of log) expect(line).not.toContain('@')
  })
})
