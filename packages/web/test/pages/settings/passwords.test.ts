import type { LightMyRequestResponse } from 'fastify'
import { beforeEach, describe, expect, it } from 'vitest'
import { readCookie, startSite, type Site } from '../../start-site.ts'

const EMAIL = 'ann@example.com'
const PASSWORD = 'correct horse'
let site: Site

beforeEach(async () => {
  site = await startSite()
})

/** Signs in from a device that has these cookies. */
const signIn = (
  password: string,
  { cookie = '', from = '', email = EMAIL } = {},
): Promise<LightMyRequestResponse> =>
  site.visit('/settings/sign-in', {
    form: { email, password },
    ...(cookie !== '' && { cookie }),
    ...(from !== '' && { from }),
  })

/** Enters wrong passwords from 40 addresses, and counts the answers. */
async function attack(email: string, attempts: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (let number = 0; number < attempts; number++) {
    const { statusCode } = await signIn(`guess ${number}`, { email, from: `203.0.113.${number % 40}` })
    counts[statusCode] = (counts[statusCode] ?? 0) + 1
  }
  return counts
}

describe('wrong passwords', () => {
  it('from many networks are few, for a known and an unknown address alike', async () => {
    await site.join(EMAIL)
    expect(await attack(EMAIL, 320)).toEqual({ 400: 5, 429: 315 })
    expect(await attack('nobody@example.com', 320)).toEqual({ 400: 5, 429: 315 })
    const [known, unknown] = [await signIn('x'), await signIn('x', { email: 'nobody@example.com' })]
    expect(known.body.replaceAll(EMAIL, 'X')).toBe(unknown.body.replaceAll('nobody@example.com', 'X'))
    expect(known.headers['retry-after']).toBe(unknown.headers['retry-after'])
  })

  it('delay the next attempt for at most a minute, and refused attempts delay nothing', async () => {
    await site.join(EMAIL)
    const waits: number[] = []
    await attack(EMAIL, 5)
    for (let turn = 0; turn < 9; turn++) {
      const refused = await signIn(PASSWORD)
      expect(refused.statusCode).toBe(429)
      waits.push(Number(refused.headers['retry-after']))
      await attack(EMAIL, 20)
      site.pass(waits.at(-1)!)
      expect((await signIn('wrong')).statusCode).toBe(400)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
    site.pass(60)
    expect((await signIn(PASSWORD)).statusCode).toBe(303)
  })

  it('are not felt by sessions, nor by a device that has signed in before', async () => {
    const cookie = await site.join(EMAIL)
    await attack(EMAIL, 20)
    expect((await site.visit('/settings', { cookie })).body).toContain('Sign out')
    expect((await signIn(PASSWORD)).statusCode).toBe(429)
    await site.visit('/settings/sign-out', { form: {}, cookie })
    const again = await signIn(PASSWORD, { cookie })
    expect(again.statusCode).toBe(303)
    const form = { password: PASSWORD, new_password: 'battery staple' }
    const changed = await site.visit('/settings/password', { form, cookie: readCookie(again) })
    expect(changed.statusCode).toBe(303)
    expect((await signIn('battery staple', { cookie: readCookie(changed) })).statusCode).toBe(303)
  })

  it('on a device that has signed in before delay only this device', async () => {
    const cookie = await site.join(EMAIL)
    for (let turn = 0; turn < 5; turn++) expect((await signIn('wrong', { cookie })).statusCode).toBe(400)
    expect((await signIn(PASSWORD, { cookie })).statusCode).toBe(429)
    expect((await signIn(PASSWORD)).statusCode).toBe(303)
  })

  it('are not forgiven to a device cookie that is forged, of another account or of an earlier password', async () => {
    const owner = await site.join(EMAIL)
    const other = await site.join('bob@example.com')
    const form = { password: PASSWORD, new_password: 'battery staple' }
    await site.visit('/settings/password', { form, cookie: owner })
    await attack(EMAIL, 20)
    const [, device] = /packs\.device=([\w-]+)\./.exec(owner)!
    const forged = `packs.device=${device}.${'A'.repeat(43)}`
    for (const cookie of [owner, other, forged, 'packs.device=x', 'packs.device='])
      expect([cookie, (await signIn('battery staple', { cookie })).statusCode]).toEqual([cookie, 429])
  })

  it('in the form for a new password delay this form only', async () => {
    const cookie = await site.join(EMAIL)
    const change = (password: string): ReturnType<Site['visit']> =>
      site.visit('/settings/password', { form: { password, new_password: 'battery staple' }, cookie })
    for (let turn = 0; turn < 5; turn++) expect((await change('wrong')).statusCode).toBe(400)
    const refused = await change(PASSWORD)
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1'])
    expect(refused.body).toContain('There were too many wrong passwords')
    expect((await signIn(PASSWORD)).statusCode).toBe(303)
    site.pass(1)
    expect((await change(PASSWORD)).statusCode).toBe(303)
  })

  it('are counted with right ones, once a network has entered 120 of these in an hour', async () => {
    await site.join(EMAIL)
    const from = '198.51.100.9'
    const counts: Record<string, number> = {}
    for (let number = 0; number < 160; number++) {
      const { statusCode } = await signIn(PASSWORD, { from })
      counts[statusCode] = (counts[statusCode] ?? 0) + 1
    }
    expect(counts).toEqual({ 303: 150, 429: 10 })
    expect((await signIn(PASSWORD)).statusCode).toBe(303)
    site.pass(60)
    expect((await signIn(PASSWORD, { from })).statusCode).toBe(303)
    site.pass(3600)
    for (let number = 0; number < 40; number++)
      expect((await signIn(PASSWORD, { from })).statusCode).toBe(303)
  })

  it('for many addresses from one network are at most 30 a minute', async () => {
    await site.join(EMAIL)
    const from = '198.51.100.8'
    const counts: number[] = []
    for (let number = 0; number < 31; number++)
      counts.push((await signIn('wrong', { email: `user${number}@example.com`, from })).statusCode)
    expect(counts).toEqual([...Array<number>(30).fill(400), 429])
    expect((await signIn(PASSWORD, { from })).statusCode).toBe(429)
    expect((await signIn(PASSWORD)).statusCode).toBe(303)
    site.pass(60)
    for (let number = 0; number < 40; number++)
      expect((await signIn(PASSWORD, { from })).statusCode).toBe(303)
  })
})
