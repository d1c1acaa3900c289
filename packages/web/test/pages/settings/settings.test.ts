import { randomUUID } from 'node:crypto'
import { verifyKey } from '@packs/catalog'
import { beforeAll, describe, expect, it } from 'vitest'
import { ORIGIN, readCookie, startSite, type Site } from '../../start-site.ts'
import { actor } from '../../../../test-kit/test/make-version.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

const site = await startSite()

const post = (path: string, form: Record<string, string>, cookie?: string): ReturnType<Site['visit']> =>
  site.visit(path, { form: { token: randomUUID(), ...form }, ...(cookie !== undefined && { cookie }) })
const signUp = (email: string, password: string): ReturnType<Site['visit']> =>
  post('/settings/sign-up', { email, password })

describe('sign-up', () => {
  it('signs in to a new Free account, and answers like a sign-in for an address that has one', async () => {
    const first = await signUp(' Ann@Example.com ', 'correct horse')
    expect([first.statusCode, first.headers.location]).toEqual([303, '/settings'])
    const settings = await site.visit('/settings', { cookie: readCookie(first) })
    expect(settings.body).toContain('ann@example.com')
    const second = await signUp('ann@example.com', 'another horse')
    expect([second.statusCode, second.cookies]).toEqual([400, []])
    expect(second.body).toContain('The email or the password is wrong.')
    expect(second.body).toContain('action="/settings/sign-in"')
    expect((await site.signIn('ann@example.com', 'another horse')).statusCode).toBe(400)
    expect((await signUp('ANN@example.com', 'correct horse')).statusCode).toBe(303)
    expect(await site.catalog.accounts.find('ann@example.com')).toMatchObject({ tier: 'free' })
  })

  it('gives an account of an operator only to the holder of its claim code', async () => {
    const request = { email: 'boss@example.com', tier: 'pro', daily: 7 } as const
    const { account, claimCode } = await site.catalog.accounts.createClaimed({ ...request, actor }, NOW)
    expect((await signUp('boss@example.com', 'thief of horses')).statusCode).toBe(400)
    await site.join('boss@example.com', 'thief of horses', 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA')
    expect((await site.signIn('boss@example.com', 'thief of horses')).statusCode).toBe(400)
    const cookie = await site.join('boss@example.com', 'correct horse', claimCode.toLowerCase())
    expect((await site.visit('/settings', { cookie })).body).toMatch(/<b>7<\/b> of 7/)
    await site.join('boss@example.com', 'thief of horses', claimCode)
    expect((await site.signIn('boss@example.com', 'thief of horses')).statusCode).toBe(400)
    expect((await site.catalog.accounts.find('boss@example.com'))?.id).toBe(account.id)
  })

  it('creates one user for simultaneous sign-ups with one address', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, number) => signUp('race@example.com', `horse number ${number}`)),
    )
    const good = answers.filter(({ statusCode }) => statusCode === 303)
    expect(good).toHaveLength(1)
    expect((await site.visit('/settings', { cookie: readCookie(good[0]!) })).body).toContain(
      'race@example.com',
    )
  })

  it.each([
    ['no address', 'correct horse'],
    ['a@b', 'correct horse'],
    [`${'a'.repeat(250)}@example.com`, 'correct horse'],
    ['short@example.com', '1234567'],
    ['long@example.com', 'a'.repeat(129)],
  ])('rejects %s with %s', async (email, password) => {
    const { statusCode, body } = await signUp(email, password)
    expect(statusCode).toBe(400)
    expect(body).not.toContain(password)
    const field = password === 'correct horse' ? 'email' : 'password'
    expect(body.match(/<span id="[^"]*" class="refusal"/g)).toEqual([
      `<span id="${field}-refusal" class="refusal"`,
    ])
    expect(body).toMatch(new RegExp(`<input\\s+id="${field}"[^>]* aria-invalid="true"`))
  })

  it('allows one network five sign-ups an hour', async () => {
    const from = '198.51.100.1'
    const once = async (number: number): Promise<number> => {
      const form = { email: `many${number}@example.com`, password: 'correct horse' }
      return (await site.visit('/settings/sign-up', { form, from })).statusCode
    }
    const statuses: number[] = []
    for (let number = 0; number < 6; number++) statuses.push(await once(number))
    expect(statuses).toEqual([303, 303, 303, 303, 303, 429])
    expect(await site.catalog.accounts.find('many5@example.com')).toBeUndefined()
  })
})

describe('the page after a form', () => {
  it('shows a message once, and no text from the cookie', async () => {
    const show = async (value: string): Promise<unknown[]> => {
      const { statusCode, body } = await site.visit('/settings', { cookie: `packs.notice=${value}` })
      return [statusCode, body.includes('role="status"')]
    }
    for (const value of ['%', 'toString', '__proto__', '%22%3E%3Cb%3E', 'Call%20us', 'signed-out%20evil'])
      expect(await show(value)).toEqual([200, false])
    expect(await show('signed-out')).toEqual([200, true])
    const { cookies } = await site.visit('/settings', { cookie: 'packs.notice=signed-out' })
    const deleted = { name: 'packs.notice', value: '', maxAge: 0, path: '/settings', httpOnly: true }
    expect(cookies).toEqual([expect.objectContaining(deleted)])
    expect((await site.visit('/settings?notice=signed-out')).body).not.toContain('You are signed out.')
  })

  it('prefills the address after an error', async () => {
    const { body } = await site.signIn('typo@example.com', 'wrong horse')
    expect(body.match(/value="typo@example\.com"/g)).toHaveLength(1)
  })
})

describe('sign-in', () => {
  it('answers the same for an unknown address and a wrong password', async () => {
    await site.join('bob@example.com')
    const wrong = await site.signIn('bob@example.com', 'wrong horse')
    const unknown = await site.signIn('nobody@example.com', 'wrong horse')
    expect(unknown.body.replaceAll('nobody@', 'bob@')).toBe(wrong.body)
    expect(wrong.body).toContain('The email or the password is wrong')
  })

  it('leads back to the previous page, but only on this site', async () => {
    await site.join('cat@example.com')
    const go = async (path: string): Promise<unknown> => {
      const form = { email: 'cat@example.com', password: 'correct horse', return: path }
      return (await site.visit('/settings/sign-in', { form })).headers.location
    }
    expect(await go('/browse/tls-basics')).toBe('/browse/tls-basics')
    expect(await go('/docs?a=b#errors')).toBe('/docs?a=b#errors')
    expect(await go('/settings/sign-out')).toBe('/settings')
    expect(await go('//evil.example')).toBe('/settings')
    expect((await site.visit('/settings?return=%2F%2Fevil.example')).body).not.toContain('evil')
    expect((await site.visit('/settings?return=%2Fbrowse%2Fx')).body).toMatch(
      /name="return" value="\/browse\/x"/,
    )
    const again = await site.visit('/settings/sign-up', {
      form: { email: 'cow@example.com', password: 'correct horse', return: '/docs#errors' },
    })
    expect(again.headers.location).toBe('/docs#errors')
  })

  it('is linked from every page, and leads back to it', async () => {
    const signInPath = async (path: string): Promise<string | undefined> =>
      /<a href="([^"]+)"\s*>Sign in<\/a>/.exec((await site.visit(path)).body)?.[1]
    expect(await signInPath('/browse?search=a+b&page=2')).toBe(
      '/settings?return=%2Fbrowse%3Fsearch%3Da%2Bb%26page%3D2',
    )
    expect(await signInPath('/')).toBe('/settings')
    const refused = await site.signIn('nobody@example.com', 'wrong horse')
    expect(refused.body).not.toContain('return=')
  })

  // prettier-ignore
  const morePaths = [
    'sign-in', 'sign-out', 'password', 'sessions', 'keys', 'keys/x/rotate', 'keys/x/revoke',
    'verify/send',
  ]
  it.each(morePaths)('redirects the path of a form to Settings if it is opened: %s', async (path) => {
    const { statusCode, headers } = await site.visit(`/settings/${path}`)
    expect([statusCode, headers.location]).toEqual([303, '/settings'])
  })

  it('sets a cookie that is hidden from scripts and other sites', async () => {
    await site.join('dan@example.com')
    const { cookies } = await site.signIn('dan@example.com', 'correct horse')
    expect(cookies).toEqual([
      expect.objectContaining({ name: 'packs.session_token', httpOnly: true, sameSite: 'Lax', path: '/' }),
      expect.objectContaining({ name: 'packs.device', httpOnly: true, sameSite: 'Lax', path: '/settings' }),
    ])
  })

  it('ends with sign-out', async () => {
    const cookie = await site.join('eve@example.com')
    const out = await post('/settings/sign-out', {}, cookie)
    expect(out.headers.location).toBe('/settings')
    expect((await site.visit('/settings', { cookie })).body).toContain('Sign in')
    const late = await post('/settings/keys', { name: 'late' }, cookie)
    expect(late.headers.location).toBe('/settings')
    expect((await site.visit('/settings', { cookie: readCookie(late) })).body).toContain('session has ended')
  })

  it('needs the signature of the cookie', async () => {
    const cookie = (await site.join('eva@example.com')).split('; ')[0]!
    expect(cookie).toMatch(/^packs\.session_token=/)
    expect((await site.visit('/settings', { cookie })).body).toContain('eva@example.com')
    const forged = cookie.slice(0, -8)
    expect((await site.visit('/settings', { cookie: forged })).body).not.toContain('eva@example.com')
  })

  it('changes the password if the current one is right, and ends all other sessions', async () => {
    const cookie = await site.join('fay@example.com')
    const other = readCookie(await site.signIn('fay@example.com', 'correct horse'))
    const form = { password: 'wrong horse', new_password: 'battery staple' }
    const refused = await post('/settings/password', form, cookie)
    expect(refused.body).toMatch(/<span id="password-refusal"[^>]*>The current password is wrong/)
    const changed = await post('/settings/password', { ...form, password: 'correct horse' }, cookie)
    expect(changed.headers.location).toBe('/settings')
    expect((await site.visit('/settings', { cookie: other })).body).not.toContain('fay@example.com')
    expect((await site.visit('/settings', { cookie: readCookie(changed) })).body).toContain('fay@example.com')
    expect((await site.signIn('fay@example.com', 'correct horse')).statusCode).toBe(400)
    expect((await site.signIn('fay@example.com', 'battery staple')).statusCode).toBe(303)
  })

  it('lists sessions, and ends all others on request', async () => {
    const cookie = await site.join('guy@example.com')
    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) "Gecko"/20100101 Firefox/140.0'
    const form = { email: 'guy@example.com', password: 'correct horse' }
    const other = readCookie(
      await site.visit('/settings/sign-in', { form, headers: { 'user-agent': userAgent } }),
    )
    const lines = async (): Promise<string[]> => {
      const { body } = await site.visit('/settings', { cookie })
      const [, list] = /<ul class="sessions">(.*?)<\/ul>/s.exec(body)!
      return [
        ...list!.matchAll(/<b title="([^"]*)"\s*>([^<]*)<\/b>(\s*<span class="chip[^>]*>([^<]*))?/g),
      ].map(([, title, name, , chip]) => [title, name, chip ?? ''].join(', '))
    }
    expect((await lines()).toSorted()).toEqual([
      `${userAgent.replaceAll('"', '&quot;')}, Firefox on Linux, `,
      'lightMyRequest, lightMyRequest, this session',
    ])
    await post('/settings/sessions', {}, cookie)
    expect(await lines()).toEqual(['lightMyRequest, lightMyRequest, this session'])
    expect((await site.visit('/settings', { cookie: other })).body).not.toContain('guy@example.com')
  })

  it('ends all other sessions, however many there are', async () => {
    const cookie = await site.join('gus@example.com')
    const others: string[] = []
    for (let count = 0; count < 130; count++)
      others.push(readCookie(await site.signIn('gus@example.com', 'correct horse')))
    expect((await site.visit('/settings', { cookie })).body).toContain('this session')
    await post('/settings/sessions', {}, cookie)
    for (const other of others)
      expect((await site.visit('/settings', { cookie: other })).body).not.toContain('gus@example.com')
    expect((await site.visit('/settings', { cookie })).body).toContain('gus@example.com')
  })
})

describe('keys', () => {
  const findKey = (body: string): string => /kp_[0-9A-Za-z]{36}/.exec(body)?.[0] ?? ''
  const findIds = (body: string): string[] =>
    [...body.matchAll(/\/settings\/keys\/(key_[0-9a-f]+)\/revoke/g)].map(([, id]) => id!)

  it('are created, shown once, rotated and revoked', async () => {
    const cookie = await site.join('hal@example.com')
    const created = await post('/settings/keys', { name: 'ci <b>' }, cookie)
    const key = findKey(created.body)
    expect(await verifyKey(site.catalog, key, NOW)).toMatchObject({ account: { email: 'hal@example.com' } })
    expect(created.headers['cache-control']).toBe('no-store')
    expect(created.body).toContain('ci &lt;b&gt;')
    const page = await site.visit('/settings', { cookie })
    expect(page.body).not.toContain(key)
    expect(page.body).toContain(`kp_…${key.slice(-4)}`)
    const [id] = findIds(page.body)
    const rotated = await post(`/settings/keys/${id}/rotate`, {}, cookie)
    const next = findKey(rotated.body)
    expect(next).not.toBe(key)
    expect(await verifyKey(site.catalog, key, NOW)).toBeDefined()
    for (const found of findIds(rotated.body)) await post(`/settings/keys/${found}/revoke`, {}, cookie)
    expect(await verifyKey(site.catalog, key, NOW)).toBeUndefined()
    expect(await verifyKey(site.catalog, next, NOW)).toBeUndefined()
  })

  it('are created once if the form is sent again', async () => {
    const cookie = await site.join('once@example.com')
    const page = (await site.visit('/settings', { cookie })).body
    const [, token] = /name="token" value="([0-9a-f-]{36})"/.exec(page)!
    const form = { name: 'laptop', token: token! }
    const answers = await Promise.all([1, 2, 3].map(() => post('/settings/keys', form, cookie)))
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    const again = await post('/settings/keys', form, cookie)
    expect(again.body).toContain('This form was already sent. No new key was created.')
    expect(findKey(again.body)).toBe('')
    const [id] = findIds(again.body)
    const rotations = [1, 2].map(() => post(`/settings/keys/${id}/rotate`, form, cookie))
    expect((await Promise.all(rotations)).map(({ statusCode }) => statusCode)).toContain(409)
    const { id: accountId } = (await site.catalog.accounts.find('once@example.com'))!
    expect(await site.catalog.keys.list(accountId)).toHaveLength(2)
    expect((await post('/settings/keys', { ...form, token: 'x' }, cookie)).statusCode).toBe(400)
    const failed = { name: ' ', token: randomUUID() }
    expect((await post('/settings/keys', failed, cookie)).statusCode).toBe(400)
    expect((await post('/settings/keys', { ...failed, name: 'good' }, cookie)).statusCode).toBe(200)
  })

  it('are limited to five', async () => {
    const cookie = await site.join('ida@example.com')
    for (let number = 0; number < 5; number++) await post('/settings/keys', { name: `key ${number}` }, cookie)
    expect((await post('/settings/keys', { name: 'sixth' }, cookie)).statusCode).toBe(409)
    const refused = await post('/settings/keys', { name: 'sixth "one"' }, cookie)
    expect(refused.body).toMatch(/<p class="note note-bad" role="alert">/)
    expect(refused.body).toMatch(/<input\s+id="name"[^>]* value="sixth &quot;one&quot;"/)
  })

  it('with an invalid name are rejected beside the field, which keeps the input', async () => {
    const cookie = await site.join('ivy@example.com')
    for (const name of [undefined, '', ' \t ', 'a\nb', 'n'.repeat(101), `<b>${'n'.repeat(300)}`]) {
      const form: Record<string, string> = name === undefined ? {} : { name }
      const { statusCode, body } = await post('/settings/keys', form, cookie)
      expect([name, statusCode]).toEqual([name, 400])
      const [input] = /<input\s+id="name"[^>]*>/.exec(body)!
      expect(input).toMatch(/aria-describedby="name-refusal"\s+aria-invalid="true" autofocus/)
      expect(input).toContain(`value="${(name ?? '').replace('<b>', '&lt;b&gt;')}"`)
      expect(body).toMatch(/<span id="name-refusal" class="refusal" role="alert">The name of the key /)
      expect(body.match(/role="alert"/g)).toHaveLength(1)
    }
    expect((await site.visit('/settings', { cookie })).body).not.toContain('aria-invalid')
  })

  it('of other accounts cannot be changed', async () => {
    const cookie = await site.join('jim@example.com')
    await site.join('kim@example.com')
    const { row, key } = await site.catalog.keys.create(
      { accountId: 'kim@example.com', name: 'hers', actor },
      NOW,
    )
    for (const act of ['revoke', 'rotate']) {
      const { statusCode, body } = await post(`/settings/keys/${row.id}/${act}`, {}, cookie)
      expect([statusCode, body.includes('hers')]).toEqual([404, false])
    }
    expect(await verifyKey(site.catalog, key, NOW)).toBeDefined()
  })

  it('ask before they are revoked, and can be restored for a minute', async () => {
    const cookie = await site.join('undo@example.com')
    const stranger = await site.join('stranger-undo@example.com')
    const created = await post('/settings/keys', { name: 'nightly', token: crypto.randomUUID() }, cookie)
    const [id] = findIds(created.body)
    const question = await site.visit(`/settings/keys/${id}/revoke`, { cookie })
    expect(question.body).toContain('Revoke this key?')
    expect(question.body).toMatch(/<b>nightly<\/b>[\s\S]*<b>never used<\/b>/)
    const others = await site.visit(`/settings/keys/${id}/revoke`, { cookie: stranger })
    expect([others.statusCode, others.headers.location]).toEqual([303, '/settings'])
    await post(`/settings/keys/${id}/revoke`, {}, cookie)
    expect((await site.visit('/settings', { cookie })).body).toContain(
      `action="/settings/keys/${id}/restore"`,
    )
    expect((await post(`/settings/keys/${id}/restore`, {}, stranger)).statusCode).toBe(404)
    expect(readCookie(await post(`/settings/keys/${id}/restore`, {}, cookie))).toContain('key-restored')
    const after = (await site.visit('/settings', { cookie })).body
    expect(after).not.toContain('/restore"')
    expect(findIds(after)).toEqual([id])
    await post(`/settings/keys/${id}/revoke`, {}, cookie)
    site.pass(61)
    expect((await site.visit('/settings', { cookie })).body).not.toContain('/restore"')
    expect((await post(`/settings/keys/${id}/restore`, {}, cookie)).body).toContain('can no longer be undone')
  })

  it('can only be revoked in recovery mode, and the page says why', async () => {
    const cookie = await site.join('lea@example.com')
    const [id] = findIds((await post('/settings/keys', { name: 'old' }, cookie)).body)
    expect((await site.visit('/settings', { cookie })).body).not.toContain('disabled')
    await site.setMode('recovery', { retry_after: 120 })
    const page = await site.visit('/settings', { cookie })
    const refused = await post('/settings/keys', { name: 'new' }, cookie)
    const rotated = await post(`/settings/keys/${id}/rotate`, {}, cookie)
    const revoked = await post(`/settings/keys/${id}/revoke`, {}, cookie)
    await site.setMode('online')
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '120'])
    expect(refused.body).toContain('recovery mode: keys can neither be created nor used')
    expect(
      page.body.match(/<button [^>]*disabled[^>]*>[^<]*/g)?.map((tag) => tag.split('>')[1]!.trim()),
    ).toEqual(['Rotate', 'Create key'])
    expect(refused.body + rotated.body).not.toMatch(/kp_[0-9A-Za-z]{36}/)
    expect(revoked.headers.location).toBe('/settings')
    expect(readCookie(revoked)).toContain('key-revoked')
  })
})

describe('forms of other sites', () => {
  // prettier-ignore
  const paths = [
    'sign-in', 'sign-out', 'password', 'sessions', 'keys', 'keys/x/rotate', 'keys/x/revoke',
    'code', 'forgot', 'verify', 'verify/send',
  ]

  let cookie: string
  beforeAll(async () => {
    cookie = await site.join('max@example.com')
  })

  it.each(paths)('are rejected at /settings/%s', async (path) => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: ORIGIN, 'sec-fetch-site': 'cross-site' },
    ]) {
      const answer = await site.visit(`/settings/${path}`, { form: { name: 'x' }, cookie, headers })
      expect(answer.statusCode).toBe(403)
      expect(answer.body).toContain('cross_site_request')
    }
    expect((await site.visit('/settings', { cookie })).body).toContain('max@example.com')
  })

  it('are rejected if they are not forms or too large', async () => {
    const headers = { 'content-type': 'application/json' }
    expect((await site.visit('/settings/sign-in', { form: {}, headers })).statusCode).toBe(400)
    expect((await site.visit('/settings/sign-in', { form: { email: 'a'.repeat(20_000) } })).statusCode).toBe(
      400,
    )
  })
})

it('logs nothing for any of these requests', () => {
  expect(site.log).toEqual([])
})
