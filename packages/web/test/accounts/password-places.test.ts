import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPasswords } from '../../src/accounts/passwords.ts'
import { startSite, type Site } from '../start-site.ts'

/** Digests that wait for the test. */
let waiting: (() => void)[] = []
/** Passwords in the order in which their digests were begun. */
let begun: unknown[] = []
let isHeld = false
const { scrypt } = crypto
beforeEach(() => {
  waiting = []
  begun = []
  isHeld = true
  crypto.scrypt = ((...parameters: Parameters<typeof scrypt>) => {
    begun.push(parameters[0])
    if (isHeld) waiting.push(() => scrypt(...parameters))
    else scrypt(...parameters)
  }) as typeof scrypt
  syncBuiltinESMExports()
})
afterEach(() => {
  crypto.scrypt = scrypt
  syncBuiltinESMExports()
})

/** Ends all digests, those that have not begun too. */
function release(): void {
  isHeld = false
  for (const start of waiting) start()
}

describe('digests of passwords', () => {
  it('are made two at a time', async () => {
    const passwords = createPasswords()
    const made = Array.from({ length: 20 }, () => passwords.hash('correct horse'))
    expect(waiting).toHaveLength(2)
    release()
    expect(new Set(await Promise.all(made)).size).toBe(20)
  })

  it('are made for networks in turn', async () => {
    const passwords = createPasswords()
    const sent = ['a1', 'a2', 'a3', 'a4', 'b'].map((password) =>
      passwords.admit(password[0]!, () => passwords.hash(password)),
    )
    release()
    await Promise.all(sent)
    expect(begun).toEqual(['a1', 'a2', 'a3', 'b', 'a4'])
  })
})

describe('forms with a password', () => {
  const EMAIL = 'ann@example.com'
  const form = { email: EMAIL, password: 'correct horse' }
  let site: Site
  beforeEach(async () => {
    isHeld = false
    site = await startSite()
  })

  it('are refused while too many wait, and count as no wrong password', async () => {
    await site.join(EMAIL)
    isHeld = true
    const refused: number[] = []
    const others = Array.from({ length: 45 }, async (_, at) => {
      const { statusCode } = await site.visit('/settings/sign-in', {
        form: { email: `other${at}@example.com`, password: 'x' },
      })
      if (isHeld) refused.push(statusCode)
      return statusCode
    })
    await vi.waitFor(() => expect(refused).toEqual(Array(5).fill(503)), { timeout: 60_000 })
    const signUp = await site.visit('/settings/sign-up', { form: { ...form, email: 'bob@example.com' } })
    expect([signUp.statusCode, signUp.headers['retry-after']]).toEqual([503, '5'])
    for (let turn = 0; turn < 7; turn++) {
      const { statusCode, headers, body } = await site.visit('/settings/sign-in', { form })
      expect([statusCode, headers['retry-after']]).toEqual([503, '5'])
      expect(body).toContain('Too many passwords are being checked right now')
    }
    release()
    expect((await Promise.all(others)).filter((status) => status === 400)).toHaveLength(40)
    expect((await site.visit('/settings/sign-in', { form })).statusCode).toBe(303)
  })

  it('of one network leave slots for others, and those that find none count as no wrong password', async () => {
    await site.join(EMAIL)
    isHeld = true
    const from = '192.0.2.1'
    let refused = 0
    const others = Array.from({ length: 60 }, async () => {
      const { statusCode } = await site.visit('/settings/sign-in', {
        form: { email: EMAIL, password: 'x' },
        from,
      })
      if (statusCode === 503) refused += 1
    })
    await vi.waitFor(() => expect(refused).toBe(56), { timeout: 60_000 })
    const signedIn = site.visit('/settings/sign-in', { form })
    release()
    expect((await signedIn).statusCode).toBe(303)
    await Promise.all(others)
  })

  it('take a new password of twelve characters, with spaces, that few people use', async () => {
    const signUp = async (password: string): Promise<number> =>
      (await site.visit('/settings/sign-up', { form: { ...form, password } })).statusCode
    expect([
      await signUp('eleven char'),
      await signUp('password1234'),
      await signUp('x'.repeat(129)),
    ]).toEqual([400, 400, 400])
    expect(await signUp('twelve chars')).toBe(303)
    const page = await site.visit('/settings/sign-up', { form: { ...form, password: 'password1234' } })
    expect(page.body).toContain('Use 12 to 128 characters')
    expect(page.body).not.toContain('password1234')
  })
})
